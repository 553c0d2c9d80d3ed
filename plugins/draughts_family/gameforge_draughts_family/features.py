"""Feature map `boardbits`: the pieces on each square, seen from the side that has just moved."""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, Rules
from gameforge.kernel import U1, Floats, Words
from gameforge_draughts_family.board import board_of
from gameforge_draughts_family.cells import cells_of
from gameforge_draughts_family.rules import FamilyRules

_PLANES = ("own men", "opponent's men", "own kings", "opponent's kings")
"""As the side that has just moved sees them."""


def require_family(rules: Rules, what: str) -> FamilyRules:
    """Return the rules; raise GameforgeError if they are those of another game."""
    if not isinstance(rules, FamilyRules):
        raise GameforgeError(f"{what} needs a game of the draughts family, not {rules.name}")
    return rules


def board_bits(fd: Words, s: Words, x: Floats) -> None:
    """Write four inputs for each square: men and kings of the side that moved, and of the other.

    fd: number of squares, then the bit of each square as White sees the board, then as Black sees it.
    """
    count = fd[0]
    opponent, own, kings = s[0], s[1], s[2]
    first = U1 if s[3] & U1 else U1 + count  # White has just moved if Black is to move
    for i in range(count):
        bit = fd[first + np.uint64(i)]
        king = (kings >> bit) & U1
        own_here, opponent_here = (own >> bit) & U1, (opponent >> bit) & U1
        x[4 * i] = np.float32(own_here & ~king)
        x[4 * i + 1] = np.float32(opponent_here & ~king)
        x[4 * i + 2] = np.float32(own_here & king)
        x[4 * i + 3] = np.float32(opponent_here & king)


@attrs.frozen(kw_only=True)
class BoardBits:
    """Four inputs for each square: own man, opponent's man, own king, opponent's king."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of a game of the family."""
        variant = require_family(rules, "boardbits").settings()
        bits = sorted(board_of(variant).bits)
        names = cells_of(variant).labels
        return FeatureFunctions(
            inputs=4 * len(bits),
            viewpoint="just moved",
            features=board_bits,
            names=tuple(f"{plane} {name}" for name in reversed(names) for plane in _PLANES),
            data=np.array([len(bits), *reversed(bits), *bits], np.uint64),
        )
