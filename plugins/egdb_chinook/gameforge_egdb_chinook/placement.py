"""Kernel functions on boards of 32 database squares: steps, jumps, and indices of a few pieces.

Square s = 4 * row + column; Black's men move up. Even rows begin at the left edge of the board, so a step up to the
right adds 4 in even rows and 5 in odd rows, and a step up to the left adds 3 and 4.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import ctz, popcount, reversed_bits
from gameforge.kernel.compile.jit import inline

_0, _1, _2, _3, _4, _5, _32 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 5, 32))
BOARD = np.uint64(0xFFFFFFFF)
_EVEN, _ODD = np.uint64(0x0F0F0F0F), np.uint64(0xF0F0F0F0)
_EVEN_INNER = np.uint64(0x0E0E0E0E)
"""Even rows without the squares at the left edge."""
_ODD_INNER = np.uint64(0x70707070)
"""Odd rows without the squares at the right edge."""


@inline
def up_right(board: Any) -> Any:
    """The squares one step up and to the right."""
    return (((board & _EVEN) << _4) | ((board & _ODD_INNER) << _5)) & BOARD


@inline
def up_left(board: Any) -> Any:
    """The squares one step up and to the left."""
    return (((board & _EVEN_INNER) << _3) | ((board & _ODD) << _4)) & BOARD


@inline
def down_right(board: Any) -> Any:
    """The squares one step down and to the right."""
    return ((board & _EVEN) >> _4) | ((board & _ODD_INNER) >> _3)


@inline
def down_left(board: Any) -> Any:
    """The squares one step down and to the left."""
    return ((board & _EVEN_INNER) >> _5) | ((board & _ODD) >> _4)


@inline
def neighbours(board: Any) -> Any:
    """The squares one step away in any direction."""
    return up_right(board) | up_left(board) | down_right(board) | down_left(board)


@inline
def climbing_jumpers(pieces: Any, others: Any, empty: Any) -> Any:
    """Pieces that can jump upwards over one of the others."""
    return pieces & (down_left(others & down_left(empty)) | down_right(others & down_right(empty)))


@inline
def sinking_jumpers(pieces: Any, others: Any, empty: Any) -> Any:
    """Pieces that can jump downwards over one of the others."""
    return pieces & (up_left(others & up_left(empty)) | up_right(others & up_right(empty)))


@inline
def turned(board: Any) -> Any:
    """The board rotated by 180 degrees: square s -> 31 - s."""
    return reversed_bits(board) >> _32


@inline
def spread(board: Any, occupied: Any) -> Any:
    """The inverse of numbering free squares: bit p of `board` moves to the p-th square that is not occupied, from 0."""
    while occupied:
        below = (occupied & (_0 - occupied)) - _1
        board = (board & below) | ((board & ~below) << _1)
        occupied &= occupied - _1
    return board


@inline
def arrangement(choose: Any, board: Any, n: Any, occupied: Any) -> Any:
    """Colex index of n pieces on the squares that are not occupied; choose[32 * k + p] is C(p, k)."""
    index = _0
    k = _0
    for _ in range(n):
        square = ctz(board)
        board &= board - _1
        k += _1
        index += choose[(k << _5) + square - popcount(occupied & ((_1 << square) - _1))]
    return index
