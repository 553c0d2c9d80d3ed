"""The squares as cells, seen by the side to move: its men move up from the first cells.

Cells are numbered by the bits of the board without its gaps, from the top for White, who then sees the board turned.
"""

import functools
from typing import Any

import numpy as np

from gameforge.interfaces.cells import Cells, PatternSet
from gameforge.kernel.bits import reversed_bits
from gameforge.kernel.compile.jit import inline
from gameforge_draughts_family.squares import squares_of
from gameforge_draughts_family.variant import Variant

_0, _1, _64 = (np.uint64(n) for n in (0, 1, 64))
_SIZE, _ROWS, _WIDTH = (np.uint64(n) for n in range(3))
"""Settings: number of cells, of groups of bits without a gap, and of bits in such a group; on the orthogonal board, all
64 bits are one group."""


@inline
def _dense(data: Any, word: Any) -> Any:
    """Remove the gaps of the board's layout."""
    groups, width = data[_ROWS], data[_WIDTH]
    if groups == _1:
        return word
    group = (_1 << width) - _1
    found, row = _0, _0
    while row < groups:
        found |= ((word >> (row * (width + _1))) & group) << (row * width)
        row += _1
    return found


def cells(data: Any, s: Any, planes: Any) -> None:
    """Write men and kings of both sides."""
    own, other, kings = _dense(data, s[0]), _dense(data, s[1]), _dense(data, s[2])
    if s[3] & _1 == _0:
        gap = _64 - data[_SIZE]
        own, other, kings = reversed_bits(own) >> gap, reversed_bits(other) >> gap, reversed_bits(kings) >> gap
    planes[0] = own & ~kings
    planes[1] = other & ~kings
    planes[2] = own & kings
    planes[3] = other & kings


@functools.cache
def cells_of(variant: Variant) -> Cells:
    """Return the cells of a variant."""
    squares = squares_of(variant)
    board = squares.board
    order = sorted(range(len(board.bits)), key=lambda square: board.bits[square])
    width = 64 if len(order) == 64 else board.size
    return Cells(
        cells=cells,
        places=tuple(board.places[square] for square in order),
        names=tuple(squares.names[square] for square in order),
        codes=("own man", "other man", "own king", "other king"),
        images=(tuple(i ^ 7 for i in range(64)),) if width == 64 else (),
        sets={"blocks": _blocks(len(order), board.size)},
        data=np.array([len(order), len(order) // width, width], np.uint64),
    )


def _blocks(count: int, size: int) -> PatternSet:
    """Return overlapping blocks of at most eight squares: pairs of rows in halves, and four rows by two squares."""
    per_row = count // size
    bands = [
        tuple(row * per_row + place for row in (top, top + 1) for place in range(left, left + 4))
        for top in range(size - 1)
        for left in sorted({*range(0, per_row - 3, 2), per_row - 4})
    ]
    blocks = [
        tuple(row * per_row + place for row in range(top, top + 4) for place in (left, left + 1))
        for top in range(size - 3)
        for left in range(per_row - 1)
    ]
    return PatternSet(patterns=(*bands, *blocks), codes=("own man", "other man"), phases=(6, 12 * size // 5))
