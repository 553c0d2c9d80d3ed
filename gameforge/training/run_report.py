"""Reports on runs, from their folders: state, settings, and figures session by session, also while they are running."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config import flat, spec_from_settings
from gameforge.config.toml import Json
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Illustrated, Illustration
from gameforge.play.columns import Tabular
from gameforge.storage.folder import is_busy, require_folder
from gameforge.training import learning_curves
from gameforge.training.metrics import METRICS, YARDSTICK, Metrics, read_metrics, session_figures, table_rows
from gameforge.training.run_folder import RUN_FORMAT, RUNNING, RunManifest, pipeline_settings, run_manifest

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@attrs.frozen(kw_only=True)
class RunReport(Tabular):
    """The state and the figures of a run, as its folder has them."""

    folder: Path
    """Its folder."""
    game: str
    """The name of its game."""
    state: str
    """running, finished, interrupted or failed; killed if its manifest says running, but no process is running it."""
    began: str
    """Date and time of its start."""
    settings: Mapping[str, Json]
    """Settings of its pipeline."""
    metrics: Sequence[Metrics]
    """The sessions so far, as in metrics.jsonl."""
    summary: Mapping[str, Json]
    """The learner's own figures for the whole training; empty until it has finished."""

    @property
    def sessions(self) -> int:
        """Number of sessions so far."""
        return int(self.metrics[-1]["session"]) if self.metrics else 0

    @property
    def games(self) -> int:
        """Training games of the sessions so far."""
        return int(self.metrics[-1]["games"]) if self.metrics else 0

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each session; `gameforge runs --export` adds the run and its parameters."""
        return table_rows(self.metrics)

    def __str__(self) -> str:
        counts = {"session": self.sessions, "game": self.games}
        numbers = [f"{n:,} {what}{'' if n == 1 else 's'}" for what, n in counts.items()]
        return ", ".join([f"{self.folder}: {self.game}", self.state, *numbers])

    def illustration(self, registry: Registry) -> Illustration:
        """Return the learner's part of the plot; it is empty if the learner has none or cannot be created."""
        learner = learner_of(self, registry)
        return learner.illustration(self.summary) if isinstance(learner, Illustrated) else Illustration()

    def plot(self, registry: Registry | None = None) -> "Figure":
        """Draw the learning curves, with the panels of the learner, as `gameforge plot` does.

        registry: has the run's learner; by default, all installed plugins.
        Raises GameforgeError if matplotlib is not installed, or if no session has finished.
        """
        return learning_curves.figure([self], [self.illustration(registry or default_registry())])

    @property
    def parameters(self) -> dict[str, bool | int | float | str]:
        """Every parameter of the pipeline by its dotted key, and the seed; lists as JSON, missing values left out."""
        return {
            key: value if isinstance(value, bool | int | float | str) else json.dumps(value)
            for key, value in flat(self.settings)
            if value is not None
        }

    @property
    def figures(self) -> dict[str, float]:
        """Means over the sessions, the last strength, the number of clones of the net, and the tuned parameters.

        The strength has an Elo difference only if that of the last measurement is finite.
        """
        rows = [session_figures(row) for row in self.metrics]
        keys = dict.fromkeys(key for row in rows for key in row if not key.startswith(YARDSTICK))
        means = {key: _mean([row[key] for row in rows if key in row]) for key in keys}
        cloned = [row["cloned"] for row in self.metrics if "cloned" in row]
        strengths = [{key: value for key, value in row.items() if key.startswith(YARDSTICK)} for row in rows]
        last = next(filter(None, reversed(strengths)), {})
        return means | last | ({"clones": sum(map(float, cloned))} if cloned else {}) | self.tuned

    @property
    def tuned(self) -> dict[str, float]:
        """Values and deviations, after the last session, of the parameters that the learner tunes (Tuner)."""
        last = self.metrics[-1] if self.metrics else {}
        names = [name for key in self.tuned_keys for name in (key, f"{key} deviation")]
        return {name: float(last[name]) for name in names if name in last}

    @property
    def tuned_keys(self) -> list[str]:
        """Keys of the parameters that the learner tunes."""
        learner = self.settings.get("learner")
        return [key for key, _ in flat(learner.get("tune", {}))] if isinstance(learner, Mapping) else []


def read_run(folder: str | Path) -> RunReport:
    """Read the report of a run; GameforgeError if the folder holds no run, or a damaged one."""
    folder = Path(folder)
    run_manifest(folder)  # removes the checkpoint of a finished run
    manifest = RUN_FORMAT.read_as(folder, RunManifest)
    state = manifest.state
    settings = pipeline_settings(folder)
    game = settings.get("game")
    return RunReport(
        folder=folder,
        game=str(game.get("use") if isinstance(game, Mapping) else game),
        state="killed" if state == RUNNING and not is_busy(folder) else state,
        began=manifest.began,
        settings=settings,
        metrics=read_metrics(folder) if (folder / METRICS).exists() else [],
        summary=manifest.summary,
    )


def run_folders(where: Path) -> list[Path]:
    """Find the run in this folder, or all runs below it; GameforgeError if there are none."""
    if RUN_FORMAT.path(where).is_file():
        return [where]
    require_folder(where)
    found = sorted(path.parent for path in where.rglob(RUN_FORMAT.file))
    if not found:
        raise GameforgeError(f"{where} holds no runs")
    return found


def learner_of(run: RunReport, registry: Registry) -> object:
    """Create the learner of a run; None if it cannot be created: reports need neither its plugin nor its files."""
    try:
        return registry.create("learner", spec_from_settings(run.settings.get("learner", {}), "learner"), run.game)
    except GameforgeError:
        return None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
