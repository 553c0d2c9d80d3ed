"""Placements of discs, and the discs that a placement flips.

Placements are found by a parallel prefix (Kogge and Stone): all runs of the opponent's discs that begin next to an own
disc grow along one direction at once, to 1, 2, 4 and 6 squares. Flips are found along the eight rays of a square.
Towards higher bits, 1 is added to a word in which the opponent's discs, and all squares outside the ray, are set: the
carry runs over these discs to the first square without one. Towards lower bits, the number of leading zeros finds that
square.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import clz
from gameforge.kernel.compile.jit import inline
from gameforge_othello.board import INNER_COLUMNS, SQUARES

_0, _1, _2, _3, _4, _5, _6, _7 = (np.uint64(n) for n in range(8))
_TOP = np.uint64(1 << 63)
_ROWS, _COLUMNS, _FALLING, _RISING = (np.uint64(step) for step in (1, 8, 9, 7))
"""Steps, in bits, from a square to the next one of its row, column and diagonals."""
RAY_WORDS = 8 * SQUARES


def rays() -> list[int]:
    """Return eight words per square: rays to the east, south, south-east and south-west, then their opposites.

    A ray holds the squares from the next one to the edge. The first four rays lead towards higher bits.
    """
    words = []
    for square in range(SQUARES):
        row, column = divmod(square, 8)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)):
            ray, r, c = 0, row + down, column + right
            while 0 <= r < 8 and 0 <= c < 8:
                ray |= 1 << (8 * r + c)
                r, c = r + down, c + right
            words.append(ray)
    return words


@inline
def _beyond_runs(own: Any, between: Any, step: Any) -> Any:
    """Return the squares after runs of `between` that begin next to an own disc, in both directions of a line."""
    double = step + step
    up = between & (own << step)
    down = between & (own >> step)
    up |= between & (up << step)
    down |= between & (down >> step)
    pairs_up = between & (between << step)
    pairs_down = between & (between >> step)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    return (up << step) | (down >> step)


@inline
def placements(own: Any, opp: Any) -> Any:
    """Return the free squares on which a disc of `own` flips at least one of `opp`."""
    inner = opp & INNER_COLUMNS  # so that runs do not wrap around the edge
    found = (
        _beyond_runs(own, inner, _ROWS)
        | _beyond_runs(own, opp, _COLUMNS)
        | _beyond_runs(own, inner, _FALLING)
        | _beyond_runs(own, inner, _RISING)
    )
    return found & ~(own | opp)


@inline
def _towards_higher(own: Any, opp: Any, ray: Any) -> Any:
    end = ((opp | ~ray) + _1) & own & ray
    return (end - np.uint64(end != _0)) & ray


@inline
def _towards_lower(own: Any, opp: Any, ray: Any) -> Any:
    end = (_TOP >> clz((ray & ~opp) | _1)) & own & ray
    return (_0 - (end + end)) & ray


@inline
def flips(rays: Any, own: Any, opp: Any, square: Any) -> Any:
    """Return the discs of `opp` that a disc of `own` on a free square flips; `rays` holds the words of `rays()`."""
    i = square << _3
    return (
        _towards_higher(own, opp, rays[i])
        | _towards_higher(own, opp, rays[i + _1])
        | _towards_higher(own, opp, rays[i + _2])
        | _towards_higher(own, opp, rays[i + _3])
        | _towards_lower(own, opp, rays[i + _4])
        | _towards_lower(own, opp, rays[i + _5])
        | _towards_lower(own, opp, rays[i + _6])
        | _towards_lower(own, opp, rays[i + _7])
    )
