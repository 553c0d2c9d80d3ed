"""Plots of training runs, one panel for each quantity, as in [Lynch1997], section 7, figures 7 to 9."""

import io
import math
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from gameforge.cli.shared.species_plot import draw_species
from gameforge.storage.atomic import write_atomically
from gameforge.training.run_report import RunReport, session_figures

_LABELS = {
    "score": "score\n(1 a win, 1/2 a draw)",
    "loop rate": "games that ended\nin a loop draw",
    "piece balance": "piece balance\nat the end",
    "moves a game": "moves a game",
}
"""Panels that nearly every self-play training has, in their order; those of other figures follow."""
_LEFT_OUT = ("games/s", "test points")
_SHARES = ("score", "loop rate")
_DEVIATION = " deviation"
"""The figure `x deviation` is a band around the curve of `x`."""
_TRAIN, _TEST = "train ", "test "
"""The figure `test x` is a second, dashed curve beside that of `train x`."""
_SPECIES_INCHES = 5.0
_POINTS = 60
"""Up to so many sessions, each is a dot of its own."""


def panels(runs: Sequence[RunReport]) -> list[str]:
    """The figures that any of the runs has: what was tuned, those of _LABELS, the others."""
    found = dict.fromkeys(key for run in runs for row in run.metrics for key in session_figures(row))
    tuned = [key for key in found if key + _DEVIATION in found]
    left_out = {*tuned, *_LABELS, *_LEFT_OUT, *(_over(run) for run in runs)}
    return (
        tuned
        + [key for key in _LABELS if key in found]
        + [key for key in found if key not in left_out and not _is_beside_another(key, found)]
    )


def _is_beside_another(key: str, figures: Container[str]) -> bool:
    if key.startswith(_TEST):
        return _TRAIN + key.removeprefix(_TEST) in figures
    return key.endswith(_DEVIATION) and key.removesuffix(_DEVIATION) in figures


def _over(run: RunReport) -> str:
    """What its curves are drawn over."""
    return str(run.metrics[-1].get("over", "games")) if run.metrics else "games"


def curve(metrics: Sequence[Mapping[str, Any]], key: str) -> tuple[list[float], list[float]]:
    """(training games, figure) after each session, with a gap (nan) behind each session that ended in a cloning.

    Other things may stand in the place of the games (Progress.over).
    """
    games: list[float] = []
    values: list[float] = []
    for row in metrics:
        games.append(row[row.get("over", "games")])
        values.append(session_figures(row).get(key, math.nan))
        if row.get("cloned"):
            games.append(games[-1])
            values.append(math.nan)
    return games, values


def plot(runs: Sequence[RunReport], path: Path) -> None:
    """Write a PNG with a panel for each figure and a line for each run; needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    keys = panels(runs)
    height = 1 + 2.1 * len(keys)
    species = runs[0].summary.get("species") if len(runs) == 1 else None
    figure = Figure(figsize=(10, height + (_SPECIES_INCHES if species else 0)), layout="constrained")
    FigureCanvasAgg(figure)
    curves: Any = figure
    if species:
        parts: Any = figure.subfigures(2, 1, height_ratios=(height, _SPECIES_INCHES))
        curves = parts[0]
        draw_species(parts[1].subplots(), species)
    axes = curves.subplots(len(keys), 1, sharex=True, squeeze=False)[:, 0]
    for axis, key in zip(axes, keys, strict=True):
        for i, run in enumerate(runs):
            few = len(run.metrics) <= _POINTS
            games, values = curve(run.metrics, key)
            axis.plot(
                games,
                values,
                color=f"C{i}",
                linewidth=1.3,
                marker="o" if few else ".",
                markersize=3.5 if few else 2,
                label=str(run.folder),
            )
            if key.startswith(_TRAIN):
                tested = curve(run.metrics, _TEST + key.removeprefix(_TRAIN))[1]
                axis.plot(games, tested, color=f"C{i}", linewidth=1.3, linestyle="--")
            deviations = curve(run.metrics, key + _DEVIATION)[1]
            if not all(map(math.isnan, deviations)):
                low, high = ([x + sign * dx for x, dx in zip(values, deviations, strict=True)] for sign in (-1, 1))
                axis.fill_between(games, low, high, color=f"C{i}", alpha=0.15, linewidth=0)
        if len(runs) == 1:
            for row in runs[0].metrics:
                if row.get("cloned"):
                    axis.axvline(row["games"], color="#999999", linewidth=0.6, linestyle=":")
        if key in _SHARES:
            axis.set_ylim(-0.03, 1.03)
        elif key == "piece balance":
            axis.axhline(0, color="#888888", linewidth=0.8)
        has_band = any(key + _DEVIATION in session_figures(row) for run in runs for row in run.metrics)
        label = f"{key}\n(band: deviation)" if has_band else key
        if key.startswith(_TRAIN):
            label = f"{key.removeprefix(_TRAIN)}\n(train; dashed: test)"
        axis.set_ylabel(_LABELS.get(key, label))
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel(", ".join(dict.fromkeys(_over(run) for run in runs)).replace("games", "training games"))
    axes[-1].xaxis.get_major_locator().set_params(integer=True)  # no half games or neurons
    if len(runs) > 1:
        axes[0].legend(fontsize="small", ncols=min(len(runs), 3), loc="best")
    figure.suptitle(_title(runs), fontsize="medium")
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=120)
    write_atomically(path, image.getvalue())


def _title(runs: Sequence[RunReport]) -> str:
    gaps = (
        "gaps: the opponent became a copy of the net"
        if any(row.get("cloned") for r in runs for row in r.metrics)
        else ""
    )
    if len(runs) > 1:
        return gaps
    run = runs[0]
    last = run.metrics[-1][_over(run)] if run.metrics else 0
    head = f"{run.folder} ({run.game}, {run.state}, {last} {_over(run)})"
    return f"{head}; {gaps}" if gaps else head
