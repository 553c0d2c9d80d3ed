"""The oracle component `book`: named openings that a player follows, by Kim and Cho's rule for Othello.

Of the lines that begin as the game did, one is drawn, each as likely as the others, and its next move is played; so
a branch is as likely as it has lines. The four symmetries of the start position turn each line four ways.
"""

import attrs

from gameforge.config.validation import joined
from gameforge.interfaces.games import Opening
from gameforge.interfaces.oracle import Announce, OracleFunctions, book_functions, silent
from gameforge.interfaces.rules import Rules
from gameforge_othello.board import START
from gameforge_othello.features import require_othello
from gameforge_othello.openings import SET_NAMES, openings
from gameforge_othello.symmetries import OF_THE_START, move_image


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `named` (77 lines), `edax` (577)."""

    lines: str = attrs.field(default="named", validator=joined(SET_NAMES))

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "the oracle book")
        lines = [opening for name in self.lines.split("+") for opening in openings(name)]
        turned = tuple(
            Opening(line.name, START, tuple(move_image(move, i) for move in line.moves))
            for line in lines
            for i in OF_THE_START
        )
        return book_functions(turned, f"{len(lines)} opening lines ({self.lines})", by_lines=True)
