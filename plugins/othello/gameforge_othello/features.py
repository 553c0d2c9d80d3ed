"""Feature maps `boardbits` and `discs`: the squares themselves, in the order a1, b1, ... h8.

Both see the board from the side that has just moved, as in [Rezende2017]: the value of a state is that of the move that
led to it.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, Rules
from gameforge.kernel import U1, Floats, Words
from gameforge_othello.board import NAMES, SQUARES
from gameforge_othello.rules import Othello


def require_othello(rules: Rules, what: str) -> Othello:
    """Return the rules; raise GameforgeError if they are those of another game."""
    if not isinstance(rules, Othello):
        raise GameforgeError(f"{what} needs the board of othello, not of {rules.name}")
    return rules


def board_bits(fd: Words, s: Words, x: Floats) -> None:
    """Write x[0:64] = 1 for own discs and x[64:128] = 1 for the opponent's, else 0."""
    opponent, own = s[0], s[1]
    for i in range(SQUARES):
        x[i] = np.float32((own >> np.uint64(i)) & U1)
        x[SQUARES + i] = np.float32((opponent >> np.uint64(i)) & U1)


def signed_discs(fd: Words, s: Words, x: Floats) -> None:
    """Write x[i] = 1 for an own disc, -1 for an opponent's disc, 0 for none."""
    opponent, own = s[0], s[1]
    for i in range(SQUARES):
        x[i] = np.float32((own >> np.uint64(i)) & U1) - np.float32((opponent >> np.uint64(i)) & U1)


@attrs.frozen(kw_only=True)
class BoardBits:
    """128 inputs: for each square whether it has an own disc, then for each whether it has an opponent's disc."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "boardbits")
        names = tuple(f"{whose} {square}" for whose in ("own", "opponent's") for square in NAMES)
        return FeatureFunctions(inputs=2 * SQUARES, viewpoint="just moved", features=board_bits, names=names)


@attrs.frozen(kw_only=True)
class Discs:
    """64 inputs: 1 own disc, -1 opponent's, 0 empty. A net of them without hidden units is a weighted piece counter."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "discs")
        return FeatureFunctions(inputs=SQUARES, viewpoint="just moved", features=signed_discs, names=NAMES)
