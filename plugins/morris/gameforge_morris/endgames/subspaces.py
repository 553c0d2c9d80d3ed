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

from gameforge.kernel.bits import clz, popcount
from gameforge.kernel.compile.jit import inline
from gameforge.retrograde.colex import binomial, binomials, set_of
from gameforge.retrograde.distance_file import POSITIONS, WORDS
from gameforge.retrograde.indexer import Words
from gameforge_morris.board import LEAST_MEN, POINTS

MOST_MEN = 4
"""Maximum number of men of each side."""
MAGIC = int.from_bytes(b"GFMORR1\n", "little")
"""First word; the 1 is the version of tables and numbers."""
_HALF = 12
_SETS = 1 << _HALF

MEN, RULES, STARTS, CHOICES, RANKS = (np.uint64(n) for n in (1, 4, 8, 96, 512))
_ADDED = np.uint64(int(RANKS) + _SETS)
_0, _1, _3, _63 = (np.uint64(n) for n in (0, 1, 3, 63))
_POINTS, _LAST_POINT = np.uint64(POINTS), np.uint64(POINTS - 1)
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
    coefficients = binomials(POINTS)
    words[int(CHOICES) :][: len(coefficients)] = coefficients
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
def number_in_subspace(t: Any, own: Any, opp: Any) -> Any:
    return _rank(t, own) * binomial(t, CHOICES, _POINTS - popcount(own), popcount(opp)) + _rank(t, _without(opp, own))


@inline
def number(t: Any, own: Any, opp: Any) -> Any:
    """Return the number of a position of any subspace."""
    return t[STARTS + (popcount(own) << _3) + popcount(opp)] + number_in_subspace(t, own, opp)


@inline
def men_of(t: Any, number: Any, a: Any, b: Any) -> Any:
    """Return (own men, opponent's men) of a position, given by its number within the subspace a-b."""
    others = binomial(t, CHOICES, _POINTS - a, b)
    own = set_of(t, CHOICES, _LAST_POINT, number // others, a, _0)
    return own, set_of(t, CHOICES, _LAST_POINT, number % others, b, own)
