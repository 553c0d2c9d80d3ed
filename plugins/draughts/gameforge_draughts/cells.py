"""The 32 dark squares as cells, numbered from the side to move."""

from typing import Any

import numpy as np

from gameforge.interfaces.cells import Cells, PatternSet
from gameforge.kernel.bits import popcount, reversed_bits
from gameforge.kernel.compile.jit import inline
from gameforge_draughts.board import SQUARES

_1, _2, _3, _4, _7, _32, _63 = (np.uint64(n) for n in (1, 2, 3, 4, 7, 32, 63))
_ROW_PAIRS = tuple(np.uint64(0xFF << shift) for shift in (0, 8, 16, 24))
_PAIR_1, _PAIR_2, _PAIR_3, _PAIR_4 = _ROW_PAIRS
_ALL = np.uint64(0xFFFFFFFF)
_ODD_ROWS, _UPPER_ROWS, _UPPER_HALF = np.uint64(0xF0F0F0F0), np.uint64(0xFF00FF00), np.uint64(0xFFFF0000)


@inline
def _dense(word: Any) -> Any:
    """Remove the gaps of the board's layout: bit n becomes square n + 1."""
    return (word & _PAIR_1) | ((word >> _1) & _PAIR_2) | ((word >> _2) & _PAIR_3) | ((word >> _3) & _PAIR_4)


@inline
def _steps(men: Any) -> Any:
    """Return the number of rows that these men have moved up from the first row."""
    return popcount(men & _ODD_ROWS) + _2 * popcount(men & _UPPER_ROWS) + _4 * popcount(men & _UPPER_HALF)


def cells(data: Any, s: Any, planes: Any) -> None:
    """Write men and kings of both sides, then one number, the tempo: own steps of men minus the opponent's."""
    own, other, kings = _dense(s[0]), _dense(s[1]), _dense(s[2])
    if s[2] >> _63:
        both = reversed_bits(own | (other << _32))
        own, other = both >> _32, both & _ALL
        kings = reversed_bits(kings) >> _32
    planes[0] = own & ~kings
    planes[1] = other & ~kings
    planes[2] = own & kings
    planes[3] = other & kings
    planes[4] = _steps(planes[0]) - (_7 * popcount(planes[1]) - _steps(planes[1]))


BANDS = tuple(tuple(range(first, first + 8)) for first in range(0, 28, 4))
"""Two adjacent rows."""
BLOCKS = tuple(
    tuple(4 * row + column for row in range(top, top + 4) for column in (left, left + 1))
    for top in range(5)
    for left in range(3)
)
"""Four rows high, two squares wide in each."""

CELLS = Cells(
    cells=cells,
    places=tuple((n // 4, 2 * (n % 4) + (1 - n // 4 % 2)) for n in range(SQUARES)),
    names=tuple(str(n + 1) for n in range(SQUARES)),
    codes=("own man", "other man", "own king", "other king"),
    numbers=("tempo",),
    sets={
        "blocks": PatternSet(patterns=BANDS + BLOCKS, codes=("own man", "other man"), phases=(6, 22)),
    },
)
