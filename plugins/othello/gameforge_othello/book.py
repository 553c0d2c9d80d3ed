"""The oracle component `book`: named openings that a player follows, by Kim and Cho's rule for Othello.

Of the lines that begin as the game did, one is drawn, each as likely as the others, and its next move is played; so
a branch is as likely as it has lines. The four symmetries of the start position turn each line four ways.
"""

from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError, near
from gameforge.oracle import Announce, OracleKernel, silent
from gameforge.rules import Opening, Rules, State
from gameforge_othello.board import START
from gameforge_othello.features import require_othello
from gameforge_othello.openings import SET_NAMES, openings
from gameforge_othello.symmetries import OF_THE_START, move_image


def _check_sets(instance: Any, attribute: "attrs.Attribute[str]", value: Any) -> None:
    for name in str(value).split("+"):
        if name not in SET_NAMES:
            raise GameforgeError(
                f"'lines' must be one or several of {', '.join(SET_NAMES)}, joined by '+', not {name!r}"
                f"{near(name, SET_NAMES)}"
            )


def _knows_nothing(od: Any, s: Any, out: Any) -> Any:
    return 0


def _why_not(state: State) -> str:
    return "a book knows the moves that continue the record of a game, not who wins"


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `named` (77 lines), `edax` (577)."""

    lines: str = attrs.field(default="named", validator=_check_sets)

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleKernel:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "the oracle book")
        lines = [opening for name in self.lines.split("+") for opening in openings(name)]
        turned = tuple(
            Opening(line.name, START, tuple(move_image(move, i) for move in line.moves))
            for line in lines
            for i in OF_THE_START
        )
        return OracleKernel(
            probe=_knows_nothing,
            data=np.zeros(1, np.uint64),
            covers=f"{len(lines)} opening lines ({self.lines})",
            why_not=_why_not,
            book=turned,
            book_by_lines=True,
        )
