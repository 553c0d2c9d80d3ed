"""Numbers of the positions of the moving phase: a subspace for each number of own men and of the opponent's.

Colours do not matter, only whose turn it is: the subspace a-b holds the positions in which the side to move has a men
and the other side b. Within it a position has the number

    rank(own men) * C(24 - a, b) + rank(opponent's men among the points without own men),

where rank is the index of a set among the sets of the same size, in colexicographic order. Subspaces are numbered in
the order in which they are solved, by the number of men of both sides together.

The tables (`tables`, in words): MAGIC, MEN, POSITIONS, WORDS (their length), RULES (the rules' data block), the first
number of each subspace at STARTS + 8 * a + b, C(n, k) at CHOICES + 8 * n + k, and the ranks of sets in two parts: sets
of the points 0 to 11 at RANKS, then, for each number of points among these, what the points 12 to 23 add.
"""

from collections.abc import Sequence
from math import comb
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import clz, popcount
from gameforge.kernel.compile.jit import inline
from gameforge_morris.board import LEAST_MEN, POINTS

Words = NDArray[np.uint64]

MOST_MEN = 4
"""Maximum number of men of each side."""
MAGIC = int.from_bytes(b"GFMORR1\n", "little")
"""First word; the 1 is the version of tables and numbers."""
_HALF = 12
_SETS = 1 << _HALF

MEN, POSITIONS, WORDS, RULES, STARTS, CHOICES, RANKS = (np.uint64(n) for n in (1, 2, 3, 4, 8, 96, 512))
_ADDED = np.uint64(int(RANKS) + _SETS)
_1, _3, _63 = np.uint64(1), np.uint64(3), np.uint64(63)
_POINTS = np.uint64(POINTS)
_HALF_SHIFT, _LOW = np.uint64(_HALF), np.uint64(_SETS - 1)


@attrs.frozen
class Subspace:
    """Positions in which the side to move has `own` men and the other side `opp`."""

    own: int
    opp: int

    @property
    def name(self) -> str:
        return f"{self.own}-{self.opp}"

    @property
    def size(self) -> int:
        return comb(POINTS, self.own) * comb(POINTS - self.own, self.opp)


def subspaces(men: int) -> tuple[Subspace, ...]:
    """Return the subspaces with 3 to `men` men of each side, in solving order; twins (3-4 and 4-3) are adjacent."""
    counts = range(LEAST_MEN, men + 1)
    pairs = [(a, b) for a in counts for b in counts]
    return tuple(Subspace(a, b) for a, b in sorted(pairs, key=lambda pair: (sum(pair), abs(pair[0] - pair[1]), pair)))


def starts(men: int) -> list[int]:
    """Return the first number of each subspace, and at the end the number of positions."""
    first = [0]
    for subspace in subspaces(men):
        first.append(first[-1] + subspace.size)
    return first


def tables(men: int, places: Sequence[int]) -> Words:
    """Make the tables that the functions below read; places[n] is the first number of subspace n."""
    words = np.zeros(table_words(men), np.uint64)
    words[0], words[MEN], words[POSITIONS], words[WORDS], words[RULES] = MAGIC, men, starts(men)[-1], len(words), 1
    for subspace, place in zip(subspaces(men), places, strict=False):
        words[int(STARTS) + 8 * subspace.own + subspace.opp] = place
    for n in range(POINTS + 1):
        for k in range(8):
            words[int(CHOICES) + 8 * n + k] = comb(n, k)
    words[int(RANKS) : int(_ADDED)] = _ranks(0, 0)
    for below in range(men + 1):
        first = int(_ADDED) + _SETS * below
        words[first : first + _SETS] = _ranks(_HALF, below)
    return words


def _ranks(lowest: int, below: int) -> list[int]:
    """Return what each set of the 12 points from `lowest` on adds to a rank, if the set has `below` lower points."""
    members = ([lowest + i for i in range(_HALF) if points >> i & 1] for points in range(_SETS))
    return [sum(comb(point, below + i) for i, point in enumerate(found, 1)) for found in members]


def table_words(men: int) -> int:
    """Return the length of the tables, in words; they fill whole pages of 4,096 bytes."""
    return -(-(int(RANKS) + _SETS * (men + 2)) // 512) * 512


@inline
def choices(t: Any, n: Any, k: Any) -> Any:
    return t[CHOICES + (n << _3) + k]


@inline
def _rank(t: Any, points: Any) -> Any:
    low = points & _LOW
    return t[RANKS + low] + t[_ADDED + (popcount(low) << _HALF_SHIFT) + (points >> _HALF_SHIFT)]


@inline
def _without(points: Any, gaps: Any) -> Any:
    """Return `points` renumbered as if those of `gaps` did not exist; the two sets must be disjoint."""
    while gaps:
        gap = _63 - clz(gaps)
        gaps ^= _1 << gap
        below = (_1 << gap) - _1
        points = (points & below) | ((points >> _1) & ~below)
    return points


@inline
def with_gaps(points: Any, gaps: Any) -> Any:
    """Return the set that `_without` maps to `points`."""
    while gaps:
        below = (gaps & (~gaps + _1)) - _1
        gaps &= gaps - _1
        points = (points & below) | ((points & ~below) << _1)
    return points


@inline
def number_in_subspace(t: Any, own: Any, opp: Any) -> Any:
    return _rank(t, own) * choices(t, _POINTS - popcount(own), popcount(opp)) + _rank(t, _without(opp, own))


@inline
def number(t: Any, own: Any, opp: Any) -> Any:
    """Return the number of a position of any subspace."""
    return t[STARTS + (popcount(own) << _3) + popcount(opp)] + number_in_subspace(t, own, opp)


@inline
def set_of(t: Any, rank: Any, size: Any) -> Any:
    """Return the set of `size` points with this rank, found from its highest point downwards."""
    points = np.uint64(0)
    top = _POINTS
    while size:
        top -= _1
        while choices(t, top, size) > rank:
            top -= _1
        rank -= choices(t, top, size)
        points |= _1 << top
        size -= _1
    return points


@inline
def men_of(t: Any, number: Any, a: Any, b: Any) -> Any:
    """Return (own men, opponent's men) of a position, given by its number within the subspace a-b."""
    others = choices(t, _POINTS - a, b)
    own = set_of(t, number // others, a)
    return own, with_gaps(set_of(t, number % others, b), own)
