"""Neighbours and mills, for all points of a word at once.

A mill is three men along a side of a ring or on a spoke, so each corner lies in two mills of its ring, each middle in
one of its ring and one on its spoke.
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
    """Each point's neighbour further on in its ring."""
    return ((x << _1) & _ALL_BUT_1) | ((x >> _7) & _FIRST_1)


@inline
def counterclockwise(x: Any) -> Any:
    return ((x & _ALL_BUT_1) >> _1) | ((x & _FIRST_1) << _7)


@inline
def inwards(x: Any) -> Any:
    """Neighbours on spokes, one ring further in."""
    return ((x & MIDDLES) << _8) & BOARD


@inline
def outwards(x: Any) -> Any:
    return (x & MIDDLES) >> _8


@inline
def completes_side_before(x: Any) -> Any:
    """Corners behind two men of `x` that stand before them on a side of the ring, clockwise."""
    return CORNERS & clockwise(x) & (((x << _2) & _ALL_BUT_2) | ((x >> _6) & _FIRST_2))


@inline
def completes_side_behind(x: Any) -> Any:
    """The same counterclockwise."""
    return CORNERS & counterclockwise(x) & (((x & _ALL_BUT_2) >> _2) | ((x & _FIRST_2) << _6))


@inline
def completes_middle(x: Any) -> Any:
    """Middles between two men of `x` on the corners beside them."""
    return MIDDLES & clockwise(x) & counterclockwise(x)


@inline
def completes_spoke(x: Any) -> Any:
    """Middles whose spoke holds men of `x` on its two other points."""
    return MIDDLES & BOARD & ((x << _8) | (x >> _16)) & ((x >> _8) | (x << _16))


@inline
def completes(x: Any) -> Any:
    """Points where one man more makes a mill; of the men of `x` themselves those that stand in one."""
    return completes_side_before(x) | completes_side_behind(x) | completes_middle(x) | completes_spoke(x)


@inline
def mills(x: Any) -> Any:
    """Number of mills."""
    return popcount(x & completes_middle(x)) + popcount(x & (x >> _8) & (x >> _16) & _OUTER_MIDDLES)


@inline
def slides(x: Any, free: Any) -> Any:
    """Number of steps from men of `x` to neighbouring points of `free`."""
    ring = popcount(clockwise(x) & free) + popcount(counterclockwise(x) & free)
    return ring + popcount(inwards(x) & free) + popcount(outwards(x) & free)
