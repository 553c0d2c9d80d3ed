"""Convert the words of draughts states to boards of database squares, and back.

Database square s = 4 * row + column, where row 0 is Black's back row; PDN square n (1..32) is square
s = 4 * ((n - 1) // 4) + 3 - (n - 1) % 4. Only positions with Black to move are numbered. A position with White to move
is reversed: square s becomes 31 - s, and colours and side to move are swapped. A pair of boards shares one word: the
mover's board is the low half, the other side's board the high half.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline

_1, _2, _3, _4, _8, _16 = (np.uint64(n) for n in (1, 2, 3, 4, 8, 16))
_32 = np.uint64(32)
_EVEN_BITS = np.uint64(0x5555555555555555)
_EVEN_PAIRS = np.uint64(0x3333333333333333)
_EVEN_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_EVEN_BYTES = np.uint64(0x00FF00FF00FF00FF)
_EVEN_WORDS = np.uint64(0x0000FFFF0000FFFF)
_BYTES = tuple(np.uint64(0xFF << (8 * i)) for i in range(4))
LOW_HALF = np.uint64(0xFFFFFFFF)


@inline
def _close_gaps(word: Any) -> Any:
    """Remove the three gaps (bits 8, 17 and 26) of a padded word, which leaves 32 squares."""
    return (word & _BYTES[0]) | ((word >> _1) & _BYTES[1]) | ((word >> _2) & _BYTES[2]) | ((word >> _3) & _BYTES[3])


@inline
def _open_gaps(board: Any) -> Any:
    """Insert the three gaps of a padded word."""
    return (board & _BYTES[0]) | ((board & _BYTES[1]) << _1) | ((board & _BYTES[2]) << _2) | ((board & _BYTES[3]) << _3)


@inline
def _mirror_rows(pair: Any) -> Any:
    """Reverse the four squares of each row of both boards."""
    pair = ((pair >> _1) & _EVEN_BITS) | ((pair & _EVEN_BITS) << _1)
    return ((pair >> _2) & _EVEN_PAIRS) | ((pair & _EVEN_PAIRS) << _2)


@inline
def _swap_rows(pair: Any) -> Any:
    """Reverse the order of the eight rows of both boards."""
    pair = ((pair >> _4) & _EVEN_NIBBLES) | ((pair & _EVEN_NIBBLES) << _4)
    pair = ((pair >> _8) & _EVEN_BYTES) | ((pair & _EVEN_BYTES) << _8)
    return ((pair >> _16) & _EVEN_WORDS) | ((pair & _EVEN_WORDS) << _16)


@inline
def database_boards(own: Any, opp: Any, white: Any) -> Any:
    """Pair of boards of two padded words, reversed if White is to move (`white` is not 0)."""
    pair = _close_gaps(own) | (_close_gaps(opp) << _32)
    return _swap_rows(pair) if white else _mirror_rows(pair)


@inline
def padded_words(own: Any, opp: Any) -> Any:
    """The padded words (own, opp) of two boards of database squares, Black to move."""
    pair = _mirror_rows(own | (opp << _32))
    return _open_gaps(pair & LOW_HALF), _open_gaps(pair >> _32)
