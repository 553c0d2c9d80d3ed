"""The book `book`: opening lines that a player follows, with the rule of [KimCho2007], section 3.2.

While lines begin with all moves of the game so far, the next move is drawn from the different moves with which they
continue, all equally likely. After that the player searches. The seven first moves are therefore equally likely.
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
    """Sets of openings, joined by `+`: `kim-cho` (the 25 lines in the paper), `named`, `3move`, `2move`."""

    lines: str = attrs.field(default="kim-cho+3move", validator=joined(_SETS))
    """Sets of opening lines, joined by `+`."""

    def opening_lines(self, rules: Rules) -> BookLines:
        if not isinstance(rules, Draughts):
            raise GameforgeError(f"book: its lines are for draughts, not for {rules.name}")
        return BookLines(lines=tuple(opening for name in self.lines.split("+") for opening in rules.openings.get(name)))
