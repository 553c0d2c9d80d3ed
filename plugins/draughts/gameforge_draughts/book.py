"""The oracle component `book`: opening lines that a player follows as Kim and Cho's players do.

While the record of the game is the beginning of a line, the next move is drawn from the different
moves that such lines go on with, each as likely as the others; then the player is on its own.
So the seven first moves are equally likely.
"""

import attrs

from gameforge.config.validation import joined
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, OracleFunctions, book_functions, silent
from gameforge.interfaces.rules import Rules
from gameforge_draughts.rules import Draughts

_SETS = ("kim-cho", "named", "3move", "2move")


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `kim-cho` (25 lines that they print), `named`, `3move`, `2move`."""

    lines: str = attrs.field(default="kim-cho+3move", validator=joined(_SETS))

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        if not isinstance(rules, Draughts):
            raise GameforgeError(f"the oracle book knows draughts, not {rules.name}")
        lines = tuple(opening for name in self.lines.split("+") for opening in rules.openings(name))
        return book_functions(lines, f"{len(lines)} opening lines ({self.lines})")
