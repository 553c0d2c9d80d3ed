"""Reports on runs, from their folders, also while they are running: state, settings, and figures session by session.

The learning curves have a panel for each figure of the metrics, and the panels of the learner.
"""

import json
import math
from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from gameforge.config import Spec, flat
from gameforge.config.settings import Json
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Illustrated, Illustration
from gameforge.play.display import Tabular, require_matplotlib
from gameforge.storage.folder import is_busy, require_folder
from gameforge.training.run_folder import (
    BALANCE,
    ELO,
    LOOP_RATE,
    METRICS,
    RUN_FORMAT,
    RUNNING,
    SCORE,
    STRENGTH,
    YARDSTICK_FIGURES,
    Metrics,
    RunManifest,
    is_share,
    pipeline_settings,
    read_metrics,
    run_manifest,
    session_figures,
    table_rows,
)
from gameforge.training.spending import EVALUATIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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

    @classmethod
    def read(cls, folder: str | Path) -> "RunReport":
        """Read the report of a run; GameforgeError if the folder holds no run, or a damaged one."""
        folder = Path(folder)
        run_manifest(folder)  # removes the checkpoint of a finished run
        manifest = RUN_FORMAT.read_as(folder, RunManifest)
        state = manifest.state
        settings = pipeline_settings(folder)
        game = settings.get("game")
        return cls(
            folder=folder,
            game=str(game.get("use") if isinstance(game, Mapping) else game),
            state="killed" if state == RUNNING and not is_busy(folder) else state,
            began=manifest.began,
            settings=settings,
            metrics=read_metrics(folder) if (folder / METRICS).exists() else [],
            summary=manifest.summary,
        )

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
        return figure([self], [self.illustration(registry or default_registry())])

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

        Of the evaluations, all.
        The strength has an Elo difference only if that of the last measurement is finite.
        """
        rows = [session_figures(row) for row in self.metrics]
        keys = dict.fromkeys(key for row in rows for key in row if not key.startswith(YARDSTICK_FIGURES))
        means = {key: _mean([row[key] for row in rows if key in row]) for key in keys}
        cloned = [row["cloned"] for row in self.metrics if "cloned" in row]
        strengths = [{key: value for key, value in row.items() if key.startswith(YARDSTICK_FIGURES)} for row in rows]
        last = next(filter(None, reversed(strengths)), {})
        if EVALUATIONS in keys:
            last |= {EVALUATIONS: rows[-1][EVALUATIONS]}
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
        return registry.create("learner", Spec.from_settings(run.settings.get("learner", {}), "learner"), run.game)
    except GameforgeError:
        return None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


_LABELS = {
    SCORE: "score\n(1 a win, 1/2 a draw)",
    LOOP_RATE: "games that ended\nin a loop draw",
    BALANCE: "piece balance\nat the end",
    "moves a game": "moves a game",
}
"""Panels that nearly every training by self-play has, in this order; other figures follow."""
_LEFT_OUT = ("games/s", "test points")
_DEVIATION = " deviation"
"""The figure `x deviation` is a band around the curve of `x`."""
_TRAIN, _TEST = "train ", "test "
"""The figure `test x` is a second, dashed curve beside that of `train x`."""
_POINTS = 60
"""Up to this number of sessions, each session is drawn as a large dot."""


class HasCurves(Protocol):
    """A run as far as its curves show it."""

    @property
    def folder(self) -> Path: ...
    @property
    def game(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def metrics(self) -> Sequence[Metrics]: ...


def panels(runs: Sequence[HasCurves]) -> list[str]:
    """Return the figures of all runs: strength first, then tuned parameters, those of _LABELS, and the others."""
    found = dict.fromkeys(key for run in runs for row in run.metrics for key in session_figures(row))
    strength = [key for key in found if key in STRENGTH]
    tuned = [key for key in found if key + _DEVIATION in found and key not in strength]
    left_out = {*strength, *tuned, *_LABELS, *_LEFT_OUT, *(_over(run) for run in runs)}
    return (
        strength
        + tuned
        + [key for key in _LABELS if key in found]
        + [key for key in found if key not in left_out and not _is_beside_another(key, found)]
    )


def _is_beside_another(key: str, figures: Container[str]) -> bool:
    if key.startswith(_TEST):
        return _TRAIN + key.removeprefix(_TEST) in figures
    return key.endswith(_DEVIATION) and key.removesuffix(_DEVIATION) in figures


def _over(run: HasCurves) -> str:
    """The x axis of the run's curves (`Progress.over`)."""
    return str(run.metrics[-1].get("over", "games")) if run.metrics else "games"


def curve(
    metrics: Sequence[Mapping[str, Any]], key: str, gaps: Collection[str] = ()
) -> tuple[list[float], list[float]]:
    """Return x and y of a figure after each session; x is the number of training games, or the figure `Progress.over`.

    A gap (nan) follows each session in which one of the figures `gaps` is true.
    """
    x: list[float] = []
    y: list[float] = []
    for row in metrics:
        x.append(row[row.get("over", "games")])
        y.append(session_figures(row).get(key, math.nan))
        if _has_gap(row, gaps):
            x.append(x[-1])
            y.append(math.nan)
    return x, y


def _has_gap(row: Mapping[str, object], gaps: Collection[str]) -> bool:
    return any(row.get(name) for name in gaps)


def figure(runs: Sequence[HasCurves], drawn: Sequence[Illustration]) -> "Figure":
    """Draw a panel for each figure and a curve for each run, and the learner's own panels if there is a single run.

    drawn: the part of each run's learner.
    Raises GameforgeError if matplotlib is not installed, or if there is nothing to draw.
    """
    require_matplotlib("a plot")
    for run in runs:
        if not run.metrics:
            raise GameforgeError(f"{run.folder}: the run has not finished a session yet, so there is nothing to draw")
    from matplotlib.figure import Figure

    keys = panels(runs)
    if not keys:
        raise GameforgeError(f"{runs[0].folder}: the learner reported no figures, so there is nothing to draw")
    below = drawn[0].panels if len(runs) == 1 else ()
    heights = [1 + 2.1 * len(keys), *(panel.inches for panel in below)]
    whole = Figure(figsize=(10, sum(heights)), layout="constrained")
    curves: Any = whole
    if below:
        parts: Any = whole.subfigures(len(heights), 1, height_ratios=heights)
        curves = parts[0]
        for part, panel in zip(parts[1:], below, strict=True):
            panel.draw(part.subplots())
    axes = curves.subplots(len(keys), 1, sharex=True, squeeze=False)[:, 0]
    for axis, key in zip(axes, keys, strict=True):
        for i, (run, own) in enumerate(zip(runs, drawn, strict=True)):
            _draw_curve(axis, key, run, own.gaps, f"C{i}")
        if len(runs) == 1:
            for row in runs[0].metrics:
                if _has_gap(row, drawn[0].gaps):
                    axis.axvline(row[_over(runs[0])], color="#999999", linewidth=0.6, linestyle=":")
        label_panel(axis, key, _label(key, runs))
    axes[-1].set_xlabel(x_label(runs))
    axes[-1].xaxis.get_major_locator().set_params(integer=True)  # no half games or neurons
    if len(runs) > 1:
        axes[0].legend(fontsize="small", ncols=min(len(runs), 3), loc="best")
    whole.suptitle(_title(runs, drawn), fontsize="medium")
    return whole


def _draw_curve(axis: "Axes", key: str, run: HasCurves, gaps: Collection[str], color: str) -> None:
    """Draw a run's curve of a figure, with the dashed curve of its test figure and the band of its deviation."""
    few = len(run.metrics) <= _POINTS
    metrics = run.metrics
    if key in STRENGTH:  # not every session has a measurement: the curve passes over the others
        metrics, gaps = [row for row in metrics if key in session_figures(row)], ()
    x, y = curve(metrics, key, gaps)
    marker, size = ("o", 3.5) if few else (".", 2)
    axis.plot(x, y, color=color, linewidth=1.3, marker=marker, markersize=size, label=str(run.folder))
    if key.startswith(_TRAIN):
        tested = curve(metrics, _TEST + key.removeprefix(_TRAIN), gaps)[1]
        axis.plot(x, tested, color=color, linewidth=1.3, linestyle="--")
    deviations = curve(metrics, key + _DEVIATION, gaps)[1]
    if not all(map(math.isnan, deviations)):
        low, high = ([value + sign * dy for value, dy in zip(y, deviations, strict=True)] for sign in (-1, 1))
        axis.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def x_label(runs: Sequence[HasCurves]) -> str:
    """Return what the x axis of the runs' curves counts."""
    return ", ".join(dict.fromkeys(_over(run) for run in runs)).replace("games", "training games")


def label_panel(axis: "Axes", key: str, label: str) -> None:
    """Set the range, label and grid of the panel of a figure."""
    if is_share(key):
        axis.set_ylim(-0.03, 1.03)
    elif key in (BALANCE, ELO):
        axis.axhline(0, color="#888888", linewidth=0.8)
    axis.set_ylabel(_LABELS.get(key, label))
    axis.grid(alpha=0.3)


def _label(key: str, runs: Sequence[HasCurves]) -> str:
    if key.startswith(_TRAIN):
        return f"{key.removeprefix(_TRAIN)}\n(train; dashed: test)"
    has_band = any(key + _DEVIATION in session_figures(row) for run in runs for row in run.metrics)
    return f"{key}\n(band: deviation)" if has_band else key


def _title(runs: Sequence[HasCurves], drawn: Sequence[Illustration]) -> str:
    """Return the title: folder and state of a single run, and the meaning of gaps."""
    meanings = dict.fromkeys(
        meaning
        for run, own in zip(runs, drawn, strict=True)
        for name, meaning in own.gaps.items()
        if any(row.get(name) for row in run.metrics)
    )
    gaps = f"gaps: {', '.join(meanings)}" if meanings else ""
    if len(runs) > 1:
        return gaps
    run = runs[0]
    last = run.metrics[-1][_over(run)] if run.metrics else 0
    done = f"{last} games" if _over(run) == "games" else f"{_over(run)} {last}"
    head = f"{run.folder} ({run.game}, {run.state}, {done})"
    return f"{head}; {gaps}" if gaps else head
