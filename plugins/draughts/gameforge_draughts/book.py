"""The book `book`: opening lines that a player follows as Kim and Cho's players do [KimCho2007].

While the record of the game is the beginning of a line, the next move is drawn from the different
moves that such lines continue with, each equally likely; after that the player searches.
So the seven first moves are equally likely.
"""

import attrs

from gameforge.config.validation import joined
from gameforge.errors import GameforgeError
from gameforge.interfaces.book import BookLines
from gameforge.interfaces.rules import Rules
from gameforge_draughts.rules import Draughts

_SETS = ("kim-cho", "named", "3move", "2move")


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `kim-cho` (25 lines that they print), `named`, `3move`, `2move`."""

    lines: str = attrs.field(default="kim-cho+3move", validator=joined(_SETS))

    def opening_lines(self, rules: Rules) -> BookLines:
        if not isinstance(rules, Draughts):
            raise GameforgeError(f"book: its lines are of draughts, not of {rules.name}")
        return BookLines(lines=tuple(opening for name in self.lines.split("+") for opening in rules.openings.get(name)))
