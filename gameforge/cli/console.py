"""The console of all commands, and the progress of long work on it, such as a database that is being built.

The console is a rich console that escapes control characters. On a terminal, progress is drawn in place; if the output
is redirected, lines of progress follow each other at growing intervals.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any

import rich.console
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.segment import Segment

from gameforge.play.display import printable

_WIDE = 200
"""Columns of tables if the output is not a terminal."""


class Console(rich.console.Console):
    """Rich writes escape sequences of its own for colours; those in the text that it is given are spelled out.

    Brackets are text, not rich's markup: `cascade:activations=[tanh,sin]` names a player.
    """

    def __init__(self, *, markup: bool = False, **options: Any) -> None:
        super().__init__(markup=markup, **options)

    @property
    def file(self) -> IO[str]:
        """Return the real stream. Rich unwraps one proxy, but its live displays stack two."""
        found: IO[str] = super().file
        while hasattr(found, "rich_proxied_file"):
            found = found.rich_proxied_file
        return found

    @file.setter
    def file(self, new: IO[str]) -> None:
        """Write to another stream."""
        self._file = new

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with the control characters of texts spelled out."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

    @contextlib.contextmanager
    def reported(self, what: str) -> Iterator[Callable[[str], None]]:
        """Show the state of some work as a status, or as lines now and then where the output is not a terminal.

        what: shown at first. Yields what is to be called with every new state.
        """
        lines = Paced()
        with self.status(what) as status:

            def report(state: str) -> None:
                if self.is_terminal:
                    status.update(state)
                elif lines.due():
                    self.print(state, soft_wrap=True)

            yield report

    def preparation(self) -> "Preparation":
        """Return what shows the progress of long preparations, such as those of oracles, for a block."""
        return Preparation(self)


def table_console() -> Console:
    """Return a console for tables, which wrap at the width of the terminal; files and pipes get long lines."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console


def columns_that_fit(widths: Sequence[int], room: int) -> list[list[int]]:
    """Divide columns of a table into groups that fit into the room; one that is too wide is a group of its own."""
    parts: list[list[int]] = [[]]
    for i, width in enumerate(widths):
        if parts[-1] and sum(widths[j] for j in parts[-1]) + width > room:
            parts.append([])
        parts[-1].append(i)
    return parts


_FIRST = 10.0
"""Seconds before the first line, and smallest time between two."""
_SHARE = 0.1
"""Smallest time between two lines, as a share of the time so far: a day of work gives about a hundred lines."""


class Paced:
    """Says when the next line of progress is due."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began = self._last = clock()

    @property
    def seconds(self) -> float:
        """Time since the work began."""
        return self._clock() - self._began

    def due(self) -> bool:
        """Return whether a line is due, which the caller then prints."""
        now = self._clock()
        if now - self._last < max(_FIRST, _SHARE * (now - self._began)):
            return False
        self._last = now
        return True

    def printed(self) -> None:
        """Record that something else was printed, after which a line is not due for some time."""
        self._last = self._clock()


class Preparation:
    """An Announce that prints messages and shows the preparations of oracles: as bars on a terminal, else as lines."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._notices: set[str] = set()
        self._lines = Paced()
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "Preparation":
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Clear the bars."""
        if self._tasks:  # bars that were never started would print an empty line
            self._bars.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if not total:
            if what not in self._notices:
                self._notices.add(what)
                self._console.print(what, soft_wrap=True)
            return
        if not self._console.is_terminal:
            if self._lines.due():
                self._console.print(f"{what}: {done / total:.0%}", soft_wrap=True)
            return
        if what not in self._tasks:
            self._bars.start()
            self._tasks[what] = self._bars.add_task(what, total=total)
        self._bars.update(self._tasks[what], completed=done, total=total)
