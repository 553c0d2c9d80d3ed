"""The indices of moves: placements, slides, flights, and what a mill takes.

| indices    | move                                                                               |
|------------|------------------------------------------------------------------------------------|
| 0 to 23    | a man is placed on this point                                                      |
| 24 to 119  | a man slides: 4 for each point that it leaves, one for each direction              |
| 120 to 191 | a man flies: 24 points for each of the three men, which are counted by their bits  |
| 192 to 383 | a mill is closed and takes a man: 8 for each of the 24 points on which that stands |

The moves that close a mill and take the same man have successive indices; there are seldom more than three of them.
"""

import numpy as np

from gameforge.interfaces import MoveIndices
from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, inline, popcount
from gameforge_morris.board import POINTS
from gameforge_morris.movegen import FROM_SHIFT, NONE_REMOVED, NOWHERE, POINT_MASK, REMOVED_SHIFT, flies

_7, _8 = np.uint64(7), np.uint64(8)
_POINTS = np.uint64(POINTS)
_SLIDES = _POINTS
_FLIGHTS = _SLIDES + U4 * _POINTS
_TAKES = _FLIGHTS + U3 * _POINTS


@inline
def _direction(start: Word, to: Word) -> Word:
    """Return 0 for a step clockwise, 1 counterclockwise, 2 inwards, 3 outwards."""
    if start >> U3 == to >> U3:
        return U0 if (start + U1) & _7 == to & _7 else U1
    return U2 if to > start else U3


def index(data: Words, s: Words, m: Word) -> Word:
    to, start = m & POINT_MASK, (m >> FROM_SHIFT) & POINT_MASK
    if m < NONE_REMOVED:
        return _TAKES + _8 * (m >> REMOVED_SHIFT)
    if start == NOWHERE:
        return to
    if flies(data, s[0]):
        return _FLIGHTS + _POINTS * popcount(s[0] & ((U1 << start) - U1)) + to
    return _SLIDES + U4 * start + _direction(start, to)


def moves(flying: bool) -> MoveIndices:
    """Return the indices; flying: whether three men may fly."""
    return MoveIndices(size=int(_TAKES + _8 * _POINTS), index=index, data=np.array([flying], np.uint64))
