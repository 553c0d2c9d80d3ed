"""The board as bits: where the 32 squares lie in a word, and the masks of them.

Square 1..32 (PDN numbers) is bit 0..34 without 8, 17 and 26: a gap behind every second row
makes each diagonal step the same shift everywhere, 4 or 5 bits, as in Samuel's program and
Lynch's XBOARD. Black (squares 1-12, moves first) goes up. A state is three words: pieces of
the side to move, pieces of the other side, kings of both with bit 63 set if White is to move.
"""

import numpy as np

from gameforge.interfaces.rules import State

SQUARES = 32
BIT_OF = tuple(s + s // 8 for s in range(SQUARES))
"""Bit of square n + 1."""
SQUARE_OF = tuple(bit - bit // 9 + 1 if bit % 9 != 8 else 0 for bit in range(35))
"""Square 1..32 of a bit, 0 for the gaps."""


def mask(*squares: int) -> np.uint64:
    """Word with the bits of these squares (1..32)."""
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
"""Pieces that each side starts with, and the most it can have."""
START: State = int(mask(*range(1, 13))), int(mask(*range(21, 33))), 0


def to_move(state: State) -> int:
    """BLACK or WHITE."""
    return state[2] >> 63


def pieces(state: State) -> dict[int, tuple[int, bool]]:
    """square -> (BLACK or WHITE, is a king), in the order of the squares."""
    own, opp, kings = state
    side = to_move(state)
    found = {}
    for square, bit in enumerate(BIT_OF, start=1):
        if (own | opp) >> bit & 1:
            found[square] = (side if own >> bit & 1 else 1 - side, bool(kings >> bit & 1))
    return found


def state_of(side: int, placed: dict[int, tuple[int, bool]]) -> State:
    """The state with these pieces (as `pieces` gives them) and `side` to move."""
    words = [0, 0, side << 63]
    for square, (colour, is_king) in placed.items():
        bit = 1 << BIT_OF[square - 1]
        words[colour ^ side] |= bit
        words[2] |= bit if is_king else 0
    return tuple(words)
