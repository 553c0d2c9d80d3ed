"""The board as bits: places of the 32 squares in a word, and masks.

The squares 1 to 32 (PDN numbers) are the bits 0 to 34 without 8, 17 and 26: a gap after every second row makes each
diagonal step the same shift everywhere, 4 or 5 bits, as in Samuel's program [Samuel1959] and in XBOARD [Lynch1997].
Black (squares 1-12) moves first, towards higher numbers. A state is three words: pieces of the side to move, pieces of
the other side, kings of both with bit 63 set if White is to move.
"""

import numpy as np

from gameforge.interfaces import State

SQUARES = 32
BIT_OF = tuple(s + s // 8 for s in range(SQUARES))
"""BIT_OF[n]: bit of square n + 1."""
SQUARE_OF = tuple(bit - bit // 9 + 1 if bit % 9 != 8 else 0 for bit in range(35))
"""SQUARE_OF[bit]: square 1 to 32, or 0 for a gap."""


def mask(*squares: int) -> np.uint64:
    """Return the word with the bits of these squares (1 to 32)."""
    return np.uint64(sum(1 << BIT_OF[square - 1] for square in squares))


BOARD = mask(*range(1, 33))
TOP_ROW = mask(29, 30, 31, 32)
BOTTOM_ROW = mask(1, 2, 3, 4)
WHITE_TO_MOVE = np.uint64(1 << 63)
STATE_WORDS = 3
LAST_BIT = 34

BLACK, WHITE = 0, 1
SIDES = ("Black", "White")
MEN = 12
"""Number of pieces with which each side starts, and the maximum."""
START: State = int(mask(*range(1, 13))), int(mask(*range(21, 33))), 0


def to_move(state: State) -> int:
    """Return the side to move, BLACK or WHITE."""
    return state[2] >> 63


def pieces(state: State) -> dict[int, tuple[int, bool]]:
    """Map occupied squares, in ascending order, to (BLACK or WHITE, whether the piece is a king)."""
    own, opp, kings = state
    side = to_move(state)
    found = {}
    for square, bit in enumerate(BIT_OF, start=1):
        if (own | opp) >> bit & 1:
            found[square] = (side if own >> bit & 1 else 1 - side, bool(kings >> bit & 1))
    return found


def state_of(side: int, placed: dict[int, tuple[int, bool]]) -> State:
    """Return the state with these pieces, in the form of `pieces`, and `side` to move."""
    words = [0, 0, side << 63]
    for square, (colour, is_king) in placed.items():
        bit = 1 << BIT_OF[square - 1]
        words[colour ^ side] |= bit
        words[2] |= bit if is_king else 0
    return tuple(words)
