"""The console of all commands: a rich console that escapes control characters."""

from collections.abc import Iterable
from typing import IO, Any

import rich.console
from rich.segment import Segment

from gameforge.play.printable import printable

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
        self._file = new

    def render(self, renderable: Any, options: rich.console.ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


def table_console() -> Console:
    """Return a console for tables, which wrap at the width of the terminal; files and pipes get long lines."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console
