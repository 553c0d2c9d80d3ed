"""The preparations that a command waits for, such as a database that is built."""

from typing import Any

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from gameforge.cli.shared.console import Console
from gameforge.cli.shared.paced import Paced


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
        self._tasks: dict[str, Any] = {}

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
