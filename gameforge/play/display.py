"""What library code shows: printable text, progress bars, results as tables, and figures.

Text of any origin, above all names and tags of files, is made such that it cannot control the terminal. The progress
bars are those of trainings and matches that Python code starts; off the terminal they become lines of the logger
`gameforge`. Rows of results become columns of NumPy arrays for other programs, and tables of HTML for notebooks.

Figures need matplotlib, which is optional. A file of a figure is a PNG, SVG or PDF, the same for the same figure.
"""

import contextlib
import html
import importlib.util
import io
import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gameforge.errors import GameforgeError, pip_install
from gameforge.interfaces.games import GameRecord

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all controls but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # controls of the direction of writing
    "\ud800-\udfff]"  # bytes that were not text
)


def printable(text: str) -> str:
    """The text with every control character but tab and line feed spelled out, as `\\x1b` for escape."""
    return text if text.isascii() and text.isprintable() else _CONTROL.sub(_spelled_out, text)


def _spelled_out(found: "re.Match[str]") -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


_SECONDS = 0.1
"""Interval between two updates: a training plays thousands of games per second."""

_LOG = logging.getLogger("gameforge")
_LOG_SECONDS = 60.0
"""Interval between two lines of the log."""

Report = Callable[[int, str], None]
"""report(done, text): `done` units are finished; `text` stands after the bar."""


@contextlib.contextmanager
def progress_bar(what: str, total: int, shown: bool = True) -> Iterator[Report]:
    """Show a bar on standard error while the block runs; its last state stays there.

    A standard error that is neither a terminal nor a notebook, such as a file, shows nothing; a line a minute then goes
    to the logger `gameforge`, at level INFO.

    While kernels are compiled, which takes long at the first run, the function stands after the bar.

    total: number of units; 0 if it is not known. shown: False shows and logs nothing.
    """
    if not shown:
        yield lambda done, text: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from gameforge.kernel.compile.jit import on_compilation

    console = Console(stderr=True)
    moving = console.is_terminal or (console.is_jupyter and importlib.util.find_spec("ipywidgets") is not None)
    columns = (
        *(TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), MofNCompleteColumn()),
        *(TextColumn("{task.fields[text]}", markup=False), TimeElapsedColumn(), TimeRemainingColumn()),
    )
    with Progress(*columns, console=console, disable=not moving) as bars:
        task = bars.add_task(what, total=total or None, text="")
        latest = 0, ""
        logged = not (moving or console.is_jupyter)
        began = time.monotonic()
        due = began + _LOG_SECONDS if logged else began

        def show(done: int, text: str) -> None:
            nonlocal due
            now = time.monotonic()
            if now < due:
                return
            due = now + (_LOG_SECONDS if logged else _SECONDS)
            if logged:
                _LOG.info("%s after %s", _state(what, done, text, total), duration_text(now - began))
            elif moving:
                bars.update(task, completed=done, text=text)

        def report(done: int, text: str) -> None:
            nonlocal latest
            latest = done, printable(text)
            show(*latest)

        def compiling(function: str | None, seconds: float) -> None:
            show(latest[0], latest[1] if function is None else compilation_text(function, seconds))

        try:
            with on_compilation(compiling):
                yield report
        finally:
            bars.update(task, completed=latest[0], text=latest[1])
            if console.is_jupyter and not moving:  # without ipywidgets, a notebook cannot show a bar that moves
                console.print(_state(what, *latest, total), markup=False, highlight=False)


def _state(what: str, done: int, text: str, total: int) -> str:
    """How far some work is, as a line."""
    of = f" of {total}" if total else ""
    return f"{what} {done}{of} {text}".rstrip()


@contextlib.contextmanager
def match_bar(
    first: str, games: int, shown: bool, game_finished: Callable[[GameRecord], None]
) -> Iterator[Callable[[GameRecord], None]]:
    """Show the results of a match for the player named first; yield a `game_finished` that also calls the given one."""
    points = [0, 0, 0]
    with progress_bar("match", games, shown) as report:

        def finished(record: GameRecord) -> None:
            points[record.outcome.points(sum(points) % 2)] += 1
            report(sum(points), f"{first}: {points[2]} won, {points[1]} drawn, {points[0]} lost")
            game_finished(record)

        yield finished


def compilation_text(function: str, seconds: float) -> str:
    """Say which function is being compiled ("": another process compiles it), and how long compilations have taken."""
    return f"compiling kernels ({duration_text(seconds)} so far): {function or 'waiting for another process'}"


def duration_text(seconds: float) -> str:
    """Format a duration in the smallest of seconds, minutes, hours and days that keeps the number below 100."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 100 * 3600 else f"{seconds / (24 * 3600):.1f} days"


def counted(number: int, one: str, many: str = "") -> str:
    """Format a number of things: `1 game`, `1,045 games`; `many` is the plural if it is not formed with s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


Row = Mapping[str, object]
"""A row of a table: a value for each column that it has."""
SHOWN = 20
"""Most rows that a notebook shows."""


class Tabular(ABC):
    """A result that consists of rows: `pandas.DataFrame(result.table())` is a data frame of them."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """Return the rows."""

    def table(self) -> "dict[str, NDArray[np.generic]]":
        """Return the columns by name, in the order in which they first occur; all have the same length.

        Numbers become int64 or float64, and missing ones nan; truth values bool. Other columns hold Python objects.
        """
        return columns(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows(), str(self))


def columns(rows: Sequence[Row]) -> "dict[str, NDArray[np.generic]]":
    """Return the columns of rows, as `Tabular.table` describes them."""
    return {name: _column([row.get(name) for row in rows]) for name in _names(rows)}


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _column(values: Sequence[object]) -> "NDArray[np.generic]":
    import numpy as np

    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, bool)
    with contextlib.suppress(OverflowError):  # larger integers, which a damaged file may have, stay as they are
        if kinds == {int}:
            return np.array(values, np.int64)
        if kinds <= {int, float, type(None)} and kinds != {type(None)}:
            return np.array([np.nan if value is None else value for value in values], np.float64)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def html_table(rows: Sequence[Row], caption: str) -> str:
    """Return the first rows as a table of HTML; the caption stands above it."""
    names = _names(rows)
    first = {name: next((row[name] for row in rows if row.get(name) is not None), None) for name in names}
    head = "".join(f"<th{_aligned(first[name])}>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_cell(row.get(name)) for name in names)}</tr>" for row in rows[:SHOWN])
    more = f"<p>{SHOWN} of {len(rows):,} rows</p>" if len(rows) > SHOWN else ""
    return f"<p>{html.escape(caption)}</p><table><tr>{head}</tr>{body}</table>{more}"


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"<td{_aligned(value)}>{html.escape(text)}</td>"


def _aligned(value: object) -> str:
    """Return the attribute by which numbers stand right and texts left; notebooks set everything right otherwise."""
    return f' style="text-align: {"right" if isinstance(value, int | float) else "left"}"'


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
