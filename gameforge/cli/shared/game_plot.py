"""A plot of the evaluation of a game. Needs matplotlib, which is imported only when something is plotted."""

import importlib.util
from pathlib import Path

from gameforge.cli.shared.annotated import mark, numbered
from gameforge.cli.shared.figure_png import figure_png
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import WON
from gameforge.interfaces.oracle import Value
from gameforge.interfaces.units import Unit
from gameforge.play.analysis import GameAnalysis
from gameforge.storage.atomic import write_atomically

_LEAST_RANGE = 0.05
_COLOURS = {"first": "#2f5d8a", "draw": "#b8b8a8", "second": "#c9772f"}
_MARKED = "#b3202a"


def require_matplotlib(what: str) -> None:
    """Raise GameforgeError, with the installation command, if matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        raise GameforgeError(f"{what} needs matplotlib, which is not installed: pip install 'gameforge[plot]'")


def plot(analysis: GameAnalysis, path: Path, mistake: float, title: str, unit: Unit) -> None:
    """Write a PNG: the score of each position for the first mover, marked moves, and the oracles' verdicts."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    scores = analysis.scores
    top = 1.2 * max([_LEAST_RANGE, *(abs(score) for score in scores if abs(score) < WON)])
    shown = [max(-top, min(top, score)) for score in scores]
    first, second = analysis.start.game.rules.sides
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[12, 1])
    plies = range(len(shown))
    above.axhline(0, color="#888888", linewidth=0.8)
    above.plot(plies, shown, color="#222222", linewidth=1.4)
    above.fill_between(
        plies, shown, 0, where=[y >= 0 for y in shown], interpolate=True, color=_COLOURS["first"], alpha=0.35
    )
    above.fill_between(
        plies, shown, 0, where=[y <= 0 for y in shown], interpolate=True, color=_COLOURS["second"], alpha=0.35
    )
    for i, judged in enumerate(analysis.moves):
        text = mark(judged, mistake)
        if text:
            above.plot(i + 1, shown[i + 1], "o", color=_MARKED, markersize=5)
            above.annotate(
                f"{numbered(analysis.start, i)} {judged.move}{text}",
                (i + 1, shown[i + 1]),
                xytext=(0, -6 if shown[i + 1] < 0 else 6),  # away from the curve
                textcoords="offset points",
                ha="center",
                va="top" if shown[i + 1] < 0 else "bottom",
                rotation=90,
                fontsize=7,
                color=_MARKED,
            )
    above.set_ylim(-top * 1.7, top * 1.7)
    above.set_xlim(0, max(1, len(shown) - 1))
    above.set_ylabel(f"score for {first}{f', in {unit.many}' if unit.many else ''}")
    above.yaxis.set_major_formatter(lambda score, _: f"{unit.amount(score):g}")
    above.set_title(title, fontsize=10)
    for i, known in enumerate(analysis.known):
        if known is not None:
            colour = _colour(known.verdict.value, (i + analysis.start.turn) % 2)
            below.axvspan(i - 0.5, i + 0.5, color=colour, linewidth=0)
    below.set_yticks([])
    below.xaxis.get_major_locator().set_params(integer=True)
    below.set_ylabel("oracle", rotation=0, ha="right", va="center", fontsize=8)
    below.set_xlabel("ply")
    meanings = {f"{first} wins": "first", "draw": "draw", f"{second} wins": "second"}
    handles = [Patch(color=_COLOURS[key], label=label) for label, key in meanings.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    write_atomically(path, figure_png(figure, 110))


def _colour(value: Value, turn: int) -> str:
    if value == "draw":
        return _COLOURS["draw"]
    return _COLOURS["first" if (value == "win") == (turn == 0) else "second"]
