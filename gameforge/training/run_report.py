"""Reports on runs, from their folders: state, settings, and figures session by session, also while they are running."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.config import flat, spec_from_settings
from gameforge.config.toml import Json
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.columns import Tabular
from gameforge.storage.folder import is_busy, require_folder
from gameforge.training.events import METRICS, Metrics, read_metrics
from gameforge.training.run import RUN_FORMAT, RUNNING, RunManifest, pipeline_settings, run_manifest

_COUNTS = ("wins", "draws", "losses")
_RENAMED_OR_LEFT_OUT = frozenset(
    {
        *("session", "games", "loops", "cloned", "mean_plies", "balance"),
        *("distinct_games", "gate_distinct", "yardstick_distinct"),
        *_COUNTS,
    }
)
"""Metrics that `session_figures` reports under other names, or not at all."""
SCORE, LOOP_RATE, BALANCE = "score", "loop rate", "piece balance"
_YARDSTICK = "yardstick "
"""Beginning of the names of the figures that measure the strength."""
ELO = f"{_YARDSTICK}elo"
STRENGTH = (ELO, f"{_YARDSTICK}score")
"""Two of them: the Elo difference, which is left out if it is infinite, and the score."""


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
        return self.session_rows

    def __str__(self) -> str:
        return f"{self.folder}: {self.game}, {self.state}, {self.sessions:,} sessions, {self.games:,} games"

    @property
    def session_rows(self) -> list[Metrics]:
        """The metrics of each session that are numbers or text."""
        return [
            {key: value for key, value in row.items() if isinstance(value, int | float | str)} for row in self.metrics
        ]

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
        keys = dict.fromkeys(key for row in rows for key in row if not key.startswith(_YARDSTICK))
        means = {key: _mean([row[key] for row in rows if key in row]) for key in keys}
        cloned = [row["cloned"] for row in self.metrics if "cloned" in row]
        strengths = [{key: value for key, value in row.items() if key.startswith(_YARDSTICK)} for row in rows]
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


def session_figures(metrics: Mapping[str, float | str]) -> dict[str, float]:
    """Convert the metrics of a session to figures that can be compared between sessions and runs.

    These are score and loop rate (0 to 1), piece balance and moves per game, then all other numbers of the learner by
    their own names. Numbers that are not finite are left out.
    """
    return {name: float(value) for name, value in _session_figures(metrics) if math.isfinite(value)}


def _session_figures(metrics: Mapping[str, float | str]) -> Iterator[tuple[str, float]]:
    numbers = {key: value for key, value in metrics.items() if isinstance(value, int | float)}
    games = sum(numbers[key] for key in _COUNTS) if all(key in numbers for key in _COUNTS) else 0
    if games:
        yield SCORE, (numbers["wins"] + numbers["draws"] / 2) / games
        if "loops" in numbers:
            yield LOOP_RATE, numbers["loops"] / games
    if "balance" in numbers:
        yield BALANCE, numbers["balance"]
    if "mean_plies" in numbers:
        yield "moves a game", numbers["mean_plies"] / 2
    for key, value in numbers.items():
        if key not in _RENAMED_OR_LEFT_OUT:
            yield figure_name(key), value


def figure_name(key: str) -> str:
    """Return the name of one of the learner's own figures: `games_per_second` becomes `games/s`."""
    return key.replace("_per_second", "/s").replace("_", " ")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
