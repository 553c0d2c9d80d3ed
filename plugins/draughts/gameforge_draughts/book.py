"""The oracle component `book`: opening lines that a player follows as Kim and Cho's players do.

While the record of the game is the beginning of a line, the next move is drawn from the different
moves that such lines go on with, each as likely as the others; then the player is on its own.
So the seven first moves are equally likely.
"""

from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError, near
from gameforge.oracle import Announce, OracleKernel, silent
from gameforge.rules import Rules, State
from gameforge_draughts.rules import Draughts

_SETS = ("kim-cho", "named", "3move", "2move")


def _check_sets(instance: Any, attribute: "attrs.Attribute[str]", value: Any) -> None:
    for name in str(value).split("+"):
        if name not in _SETS:
            raise GameforgeError(
                f"'lines' must be one or several of {', '.join(_SETS)}, joined by '+', not {name!r}{near(name, _SETS)}"
            )


def _knows_nothing(od: Any, s: Any, out: Any) -> Any:
    return 0


def _why_not(state: State) -> str:
    return "a book knows the moves that continue the record of a game, not who wins"


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `kim-cho` (25 lines that they print), `named`, `3move`, `2move`."""

    lines: str = attrs.field(default="kim-cho+3move", validator=_check_sets)

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleKernel:
        if not isinstance(rules, Draughts):
            raise GameforgeError(f"the oracle book knows draughts, not {rules.name}")
        lines = tuple(opening for name in self.lines.split("+") for opening in rules.openings(name))
        return OracleKernel(
            probe=_knows_nothing,
            data=np.zeros(1, np.uint64),
            covers=f"{len(lines)} opening lines ({self.lines})",
            why_not=_why_not,
            book=lines,
        )
