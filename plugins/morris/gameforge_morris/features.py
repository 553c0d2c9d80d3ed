"""Feature maps `boardbits` and `points`, which see the board from the side that has just moved.

The value of a state is thus that of the move that led to it, as in [Rezende2017].
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, Rules
from gameforge.kernel import U1, Floats, Words, popcount
from gameforge_morris.board import NAMES, POINTS
from gameforge_morris.movegen import MOST_MEN, hand, placements_left
from gameforge_morris.rules import Morris

_HAND_BITS = 4
_BITS = 2 * (POINTS + _HAND_BITS) + 2


def require_morris(rules: Rules, what: str) -> None:
    """Raise GameforgeError if these are the rules of another game."""
    if not isinstance(rules, Morris):
        raise GameforgeError(f"{what} needs the board of morris, not of {rules.name}")


def board_bits(fd: Words, s: Words, x: Floats) -> None:
    """Write own men to x[0:24], the opponent's to x[24:48], then both hands (low bit first), placing, White moved."""
    opponent, own, left, opponent_hand = s[0], s[1], placements_left(s), hand(s)
    own_hand = left - opponent_hand
    for i in range(POINTS):
        x[i] = np.float32((own >> np.uint64(i)) & U1)
        x[POINTS + i] = np.float32((opponent >> np.uint64(i)) & U1)
    for i in range(_HAND_BITS):
        x[2 * POINTS + i] = np.float32((own_hand >> np.uint64(i)) & U1)
        x[2 * POINTS + _HAND_BITS + i] = np.float32((opponent_hand >> np.uint64(i)) & U1)
    x[_BITS - 2] = np.float32(1) if left else np.float32(0)
    x[_BITS - 1] = np.float32(s[2] & U1)


def signed_points(fd: Words, s: Words, x: Floats) -> None:
    """Write x[i] = 1 for an own man, -1 for an opponent's; then the men of each side, divided by their maximum."""
    opponent, own, left, opponent_hand = s[0], s[1], placements_left(s), hand(s)
    for i in range(POINTS):
        x[i] = np.float32((own >> np.uint64(i)) & U1) - np.float32((opponent >> np.uint64(i)) & U1)
    x[POINTS] = np.float32(popcount(own) + left - opponent_hand) / np.float32(MOST_MEN)
    x[POINTS + 1] = np.float32(popcount(opponent) + opponent_hand) / np.float32(MOST_MEN)


@attrs.frozen(kw_only=True)
class BoardBits:
    """58 inputs: own and opponent's men, both hands in binary, whether men are placed, whether White has moved."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of Morris."""
        require_morris(rules, "boardbits")
        names = tuple(f"{whose} {point}" for whose in ("own", "opponent's") for point in NAMES)
        names += tuple(f"{whose} hand {1 << i}" for whose in ("own", "opponent's") for i in range(_HAND_BITS))
        return FeatureFunctions(
            inputs=_BITS, viewpoint="just moved", features=board_bits, names=(*names, "placing", "White")
        )


@attrs.frozen(kw_only=True)
class Points:
    """26 inputs: 1 own man, -1 opponent's, 0 free for each point; then the men of both sides, hands included."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of Morris."""
        require_morris(rules, "points")
        names = (*NAMES, "own men", "opponent's men")
        return FeatureFunctions(inputs=len(names), viewpoint="just moved", features=signed_points, names=names)
