"""The board as bits: where the 32 squares lie in a word, and the masks of them.

Square 1..32 (PDN numbers) is bit 0..34 without 8, 17 and 26: a gap behind every second row
makes each diagonal step the same shift everywhere, 4 or 5 bits, as in Samuel's program and
Lynch's XBOARD. Black (squares 1-12, moves first) goes up. A state is three words: pieces of
the side to move, pieces of the other side, kings of both with bit 63 set if White is to move.
"""

import numpy as np

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
