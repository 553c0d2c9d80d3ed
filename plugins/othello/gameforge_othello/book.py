"""The book `book`: named openings that a player follows, by Kim and Cho's rule for Othello.

Of the lines that begin as the game did, one is drawn, each equally likely, and its next move is played; so a branch is
the likelier the more lines it has. The four symmetries of the start position turn each line four ways.
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

    def opening_lines(self, rules: Rules) -> BookLines:
        require_othello(rules, "the book")
        lines = [opening for name in self.lines.split("+") for opening in OthelloOpenings(rules).get(name)]
        turned = tuple(
            Opening(line.name, START, tuple(move_image(START, move, i) for move in line.moves))
            for line in lines
            for i in OF_THE_START
        )
        return BookLines(lines=turned, by_lines=True)
