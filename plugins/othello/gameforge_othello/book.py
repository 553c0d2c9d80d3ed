"""The book `book`: named openings that a player follows, with the rule of [KimCho2007], section 3.3, for Othello.

One of the lines that begin like the game is drawn, all equally likely, and its next move is played. The probability of
a branch is thus in proportion to its number of lines. Each line is turned four ways, by the symmetries of the initial
position.
"""

import attrs

from gameforge.config.validation import joined
from gameforge.interfaces.book import BookLines
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import Rules
from gameforge_othello.board import START
from gameforge_othello.features import require_othello
from gameforge_othello.openings import SET_NAMES, OthelloOpenings
from gameforge_othello.symmetries import OF_THE_START, move_image


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `named` (77 lines), `edax` (577)."""

    lines: str = attrs.field(default="named", validator=joined(SET_NAMES))
    """Sets of opening lines, joined by `+`."""

    def opening_lines(self, rules: Rules) -> BookLines:
        require_othello(rules, "the book")
        lines = [opening for name in self.lines.split("+") for opening in OthelloOpenings(rules).get(name)]
        turned = tuple(
            Opening(line.name, START, tuple(move_image(START, move, i) for move in line.moves))
            for line in lines
            for i in OF_THE_START
        )
        return BookLines(lines=turned, by_lines=True)
