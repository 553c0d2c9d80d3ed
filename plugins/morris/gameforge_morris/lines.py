"""Neighbours and mills, for all points of a word at once.

A mill is three men on a side of a ring or on a spoke. Each corner therefore belongs to two lines of its ring, and each
middle to one line of its ring and to its spoke.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import popcount
from gameforge.kernel.compile.jit import inline

_1, _2, _6, _7, _8, _16 = (np.uint64(n) for n in (1, 2, 6, 7, 8, 16))
BOARD = np.uint64(0xFFFFFF)
CORNERS, MIDDLES = np.uint64(0x555555), np.uint64(0xAAAAAA)
_OUTER_MIDDLES = np.uint64(0xAA)
_ALL_BUT_1, _ALL_BUT_2 = np.uint64(0xFEFEFE), np.uint64(0xFCFCFC)
_FIRST_1, _FIRST_2 = np.uint64(0x010101), np.uint64(0x030303)


@inline
def clockwise(x: Any) -> Any:
    """Return the clockwise neighbour of each point in its ring."""
    return ((x << _1) & _ALL_BUT_1) | ((x >> _7) & _FIRST_1)


@inline
def counterclockwise(x: Any) -> Any:
    return ((x & _ALL_BUT_1) >> _1) | ((x & _FIRST_1) << _7)


@inline
def inwards(x: Any) -> Any:
    """Return the neighbours on spokes, one ring further in."""
    return ((x & MIDDLES) << _8) & BOARD


@inline
def outwards(x: Any) -> Any:
    return (x & MIDDLES) >> _8


@inline
def completes_side_before(x: Any) -> Any:
    """Return the corners at the clockwise end of a side of a ring whose other two points hold men of `x`."""
    return CORNERS & clockwise(x) & (((x << _2) & _ALL_BUT_2) | ((x >> _6) & _FIRST_2))


@inline
def completes_side_behind(x: Any) -> Any:
    """Return the corners at the counterclockwise end of such a side."""
    return CORNERS & counterclockwise(x) & (((x & _ALL_BUT_2) >> _2) | ((x & _FIRST_2) << _6))


@inline
def completes_middle(x: Any) -> Any:
    """Return the middles whose two neighbouring corners hold men of `x`."""
    return MIDDLES & clockwise(x) & counterclockwise(x)


@inline
def completes_spoke(x: Any) -> Any:
    """Return the middles whose spoke has men of `x` on its two other points."""
    return MIDDLES & BOARD & ((x << _8) | (x >> _16)) & ((x >> _8) | (x << _16))


@inline
def completes(x: Any) -> Any:
    """Return the points where another man of `x` closes a mill, and the men of `x` that are in a mill."""
    return completes_side_before(x) | completes_side_behind(x) | completes_middle(x) | completes_spoke(x)


@inline
def mills(x: Any) -> Any:
    """Return the number of mills."""
    return popcount(x & completes_middle(x)) + popcount(x & (x >> _8) & (x >> _16) & _OUTER_MIDDLES)


@inline
def slides(x: Any, free: Any) -> Any:
    """Return the number of steps from men of `x` to neighbouring points of `free`."""
    ring = popcount(clockwise(x) & free) + popcount(counterclockwise(x) & free)
    return ring + popcount(inwards(x) & free) + popcount(outwards(x) & free)
