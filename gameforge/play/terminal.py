"""What library code shows on a terminal or in a notebook: printable text, durations and progress bars.

Text of any origin, above all names and tags of files, is made such that it cannot control the terminal. The progress
bars are those of trainings and matches that Python code starts; off the terminal they become lines of the logger
`gameforge`.
"""

import contextlib
import importlib.util
import logging
import re
import time
from collections.abc import Callable, Iterator

from gameforge.interfaces.games import GameRecord

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
