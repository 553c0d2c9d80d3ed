"""The indexer of endings in the moving phase: numbers of positions, and the units that `gameforge_retrograde` solves.

Colours do not matter, only whose turn it is: the subspace a-b holds the positions in which the side to move has a men
and the other side b. Within it a position has the number

    rank(own men) * C(24 - a, b) + rank(opponent's men among the points without own men),

where rank is the index of a set among the sets of the same size, in colexicographic order. Subspaces are numbered in
the order in which they are solved, by the number of men of both sides together.

The tables (`tables`, in words): MAGIC, MEN, POSITIONS, WORDS (their length), RULES (the rules' data block), the first
number of each subspace at STARTS + 8 * a + b, C(n, k) at CHOICES + 8 * n + k, and the ranks of sets in two parts: sets
of the points 0 to 11 at RANKS, then, for each number of points among these, what the points 12 to 23 add.

A move without a removal leads from a-b to b-a, so these two form a unit. A removal leads to b-1 - a, which is solved
earlier, or wins at once if b-1 is 2. The block of a unit holds the number of subspaces (1 or 2), for each of them its
first number in the unit, a and b, and from _STATE on a state of the rules.
"""

from collections.abc import Sequence
from math import comb

import attrs
import numpy as np
from gameforge_retrograde.distance_file import POSITIONS, WORDS
from gameforge_retrograde.indexer import EXTERNAL_BITS, STORED, Unit, binomial, binomials, set_of

from gameforge.interfaces import LOSS
from gameforge.kernel import U0, U1, U2, U3, U4, Word, WordArray, Words, at, clz, inline, popcount
from gameforge_morris import movegen
from gameforge_morris.board import LEAST_MEN, POINTS
from gameforge_morris.movegen import BOARD, MIDDLES, clockwise, completes, counterclockwise, inwards, outwards

_5, _6, _63 = np.uint64(5), np.uint64(6), np.uint64(63)
MOST_MEN = 4
"""Maximum number of men of each side."""
MAGIC = int.from_bytes(b"GFMORR1\n", "little")
"""First word; the 1 is the version of tables and numbers."""
_HALF = 12
_SETS = 1 << _HALF

MEN, RULES, STARTS, CHOICES, RANKS = (np.uint64(n) for n in (1, 4, 8, 96, 512))
_ADDED = np.uint64(int(RANKS) + _SETS)
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


def tables(men: int, places: Sequence[int]) -> WordArray:
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
def _rank(t: Words, points: Word) -> Word:
    low = points & _LOW
    return t[RANKS + low] + t[_ADDED + (popcount(low) << _HALF_SHIFT) + (points >> _HALF_SHIFT)]


@inline
def _without(points: Word, gaps: Word) -> Word:
    """Return `points` renumbered as if those of `gaps` did not exist; the two sets must be disjoint."""
    # From the highest gap down: closing one does not renumber the points of the others.
    while gaps:
        gap = _63 - clz(gaps)
        gaps ^= U1 << gap
        below = (U1 << gap) - U1
        points = (points & below) | ((points >> U1) & ~below)
    return points


@inline
def number_in_subspace(t: Words, own: Word, opp: Word) -> Word:
    return _rank(t, own) * binomial(t, CHOICES, _POINTS - popcount(own), popcount(opp)) + _rank(t, _without(opp, own))


@inline
def number(t: Words, own: Word, opp: Word) -> Word:
    """Return the number of a position of any subspace."""
    return t[STARTS + (popcount(own) << U3) + popcount(opp)] + number_in_subspace(t, own, opp)


@inline
def men_of(t: Words, number: Word, a: Word, b: Word) -> tuple[Word, Word]:
    """Return (own men, opponent's men) of a position, given by its number within the subspace a-b."""
    others = binomial(t, CHOICES, _POINTS - a, b)
    own = set_of(t, CHOICES, _LAST_POINT, number // others, a, U0)
    return own, set_of(t, CHOICES, _LAST_POINT, number % others, b, own)


_LEAST_MEN = np.uint64(LEAST_MEN)
_STORED, _LOSS = np.uint64(STORED), np.uint64(LOSS)
_STATE = np.uint64(8)
_gen = inline(movegen.gen)


@inline
def _set_up(game: Words, unit: Words, i: Word) -> tuple[Word, Word]:
    """Return (own men, opponent's men) of position i of a unit."""
    second = unit[U0] == U2 and i >= unit[U4]
    if second:
        return men_of(game, i - unit[U4], unit[_5], unit[_6])
    return men_of(game, i - unit[U1], unit[U2], unit[U3])


def expand(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    own, opp = _set_up(game, unit, i)
    state = at(unit, _STATE)
    state[U0], state[U1], state[U2] = own, opp, U0
    n = _gen(at(game, RULES), state, out)
    external, inside = U0, np.int64(0)
    for j in range(n):
        move = out[j]
        # A move without a removal leads to a position of this unit, whose predecessors include this one.
        if move >= movegen.NONE_REMOVED:
            inside += 1
            continue
        start, to = (move >> movegen.FROM_SHIFT) & movegen.POINT_MASK, move & movegen.POINT_MASK
        left = opp ^ (U1 << (move >> movegen.REMOVED_SHIFT))
        # Subspaces with two men are not stored: the side to move has lost.
        if popcount(left) < _LEAST_MEN:
            out[external] = _LOSS
        else:
            out[external] = _STORED + number(game, left, own ^ (U1 << start) ^ (U1 << to))
        external += U1
    return np.int64(external) + (inside << EXTERNAL_BITS)


def predecessors(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    """Write the positions before a move without a removal: the man that has moved is not in a mill."""
    own, opp = _set_up(game, unit, i)
    free = BOARD & ~(own | opp)
    # The other side has moved. With three men it could fly, so its man may come from any free point.
    flown = popcount(opp) == _LEAST_MEN
    # The sides take turns: the predecessors of a-b are in its twin b-a, or in itself if a is b.
    first = unit[U4] if unit[U0] == U2 and i < unit[U4] else unit[U1]
    # A man that has closed a mill has removed one, so its move leads here from another unit.
    moved = opp & ~completes(opp, MIDDLES)
    n = U0
    while moved:
        to = moved & (U0 - moved)
        moved ^= to
        origins = free
        if not flown:
            origins &= clockwise(to) | counterclockwise(to) | inwards(to, MIDDLES) | outwards(to, MIDDLES)
        while origins:
            start = origins & (U0 - origins)
            origins ^= start
            out[n] = first + number_in_subspace(game, (opp ^ to) | start, own)
            n += U1
    return np.int64(n)


class MorrisUnits:
    """All subspaces with 3 to `men` men of each side, as a gameforge_retrograde.indexer.Indexer."""

    def __init__(self, men: int) -> None:
        self.men = men
        self.expand, self.predecessors = expand, predecessors
        self.subspaces = subspaces(men)
        self.sizes = [subspace.size for subspace in self.subspaces]
        self.starts = starts(men)
        numbers = {(s.own, s.opp): n for n, s in enumerate(self.subspaces)}
        units: dict[int, list[Unit]] = {}
        for (own, opp), n in numbers.items():
            if own <= opp:
                unit = (n,) if own == opp else (n, numbers[opp, own])
                units.setdefault(own + opp, []).append(unit)
        self.levels = [units[total] for total in sorted(units)]

    def game_block(self, places: Sequence[int]) -> WordArray:
        return tables(self.men, places)

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        """Make the block of a unit; `conversions` has no effect, as irreversible moves leave the unit anyway."""
        block = np.zeros(int(_STATE) + 3, np.uint64)
        block[0] = len(unit)
        first = 0
        for place, n in enumerate(unit):
            subspace = self.subspaces[n]
            block[1 + 3 * place : 4 + 3 * place] = first, subspace.own, subspace.opp
            first += subspace.size
        return block
