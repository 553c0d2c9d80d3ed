"""Matplotlib, which is optional: figures as files, and the plot of a match.

A file of a figure is a PNG, SVG or PDF, the same for the same figure.
"""

import importlib.util
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gameforge.errors import GameforgeError, pip_install

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def require_matplotlib(what: str) -> None:
    """Raise GameforgeError, with the installation command, if matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        raise GameforgeError(f"{what} needs matplotlib, which is not installed: {pip_install('plot')}")


def score_figure(
    title: str, games: Sequence[int], scores: Sequence[float], intervals: Sequence[tuple[float, float]]
) -> "Figure":
    """Draw the score after each of these numbers of games, with the band of its 95 % interval.

    Raises GameforgeError if matplotlib is not installed.
    """
    require_matplotlib("a plot")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    axes.axhline(0.5, color="#888888", linewidth=0.8)
    axes.plot(games, scores, linewidth=1.3)
    axes.fill_between(games, [low for low, _ in intervals], [high for _, high in intervals], alpha=0.2, linewidth=0)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("games")
    axes.set_ylabel("score so far\n(band: 95 % interval)")
    axes.grid(alpha=0.3)
    figure.suptitle(title, fontsize="medium")
    return figure


FIGURES = (".png", ".svg", ".pdf")
"""The endings of files of figures."""
DPI = 100
CURVES_DPI = 120
"""Of learning curves, which have small panels."""
_UNDATED = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def figure_file(figure: "Figure", suffix: str, dpi: int = DPI) -> bytes:
    """Return a figure as a file of the kind with this ending; dpi: pixels an inch of a PNG file."""
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "gameforge"}):  # or the names in the file would be random
        figure.savefig(file, format=suffix.removeprefix("."), dpi=dpi, metadata=_UNDATED[suffix])
    return file.getvalue()
