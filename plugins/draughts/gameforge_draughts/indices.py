"""The indices of moves: the square that the piece leaves and the direction of its step or first jump.

Each pair of them has two indices, since a capture may go on along several routes. Further routes, which are rare, take
the next free index. Squares and directions are seen from the side to move, as in `cells`.
"""

import numpy as np

from gameforge.interfaces import MoveIndices
from gameforge.kernel import U0, U2, U3, U4, Word, Words, inline
from gameforge_draughts.board import LAST_BIT, SQUARES, WHITE_TO_MOVE
from gameforge_draughts.movegen import (
    BIT_MASK,
    CAPTURED_SHIFT,
    DOWN_LEFT,
    DOWN_RIGHT,
    ROUTE_SHIFT,
    TO_SHIFT,
    UP_LEFT,
    UP_RIGHT,
)

_9 = np.uint64(9)
_LAST = np.uint64(LAST_BIT)
_UP_RIGHT, _UP_LEFT, _DOWN_RIGHT, _DOWN_LEFT = (
    np.uint64(direction) for direction in (UP_RIGHT, UP_LEFT, DOWN_RIGHT, DOWN_LEFT)
)
_ROUTES = U2
"""Indices for each square and direction."""


@inline
def _direction(m: Word) -> Word:
    """Return the direction of a step, or of the first jump of a capture."""
    if m >> CAPTURED_SHIFT != U0:
        return (m >> ROUTE_SHIFT) & U3
    start, to = m & BIT_MASK, (m >> TO_SHIFT) & BIT_MASK
    if to > start:
        return _UP_RIGHT if to - start == U4 else _UP_LEFT
    return _DOWN_RIGHT if start - to == U4 else _DOWN_LEFT


def index(data: Words, s: Words, m: Word) -> Word:
    start, direction = m & BIT_MASK, _direction(m)
    if s[2] & WHITE_TO_MOVE != U0:
        start, direction = _LAST - start, direction ^ U2
    square = start - start // _9
    return _ROUTES * (U4 * square + direction)


MOVES = MoveIndices(size=int(_ROUTES) * 4 * SQUARES, index=index)
