"""The interface between retrograde analysis and a game: slices of positions, their order, and two functions.

A unit is a set of slices whose moves lead to the same unit or to units of earlier levels. Units of the same level do
not depend on each other and are solved by different threads. The positions of a unit are numbered from 0, slice by
slice. Sets of squares are numbered by colexicographic ranks.

* `expand(game, unit, i, out)` writes the successors of position i outside the unit; it returns their number, plus 2^16
  times the number of moves that stay in the unit (int64).
* `predecessors(game, unit, i, out)` writes the positions of the unit with a move to position i that stays in the unit;
  it returns their number (int64).

`game` is the block of the game's tables, which all threads share. `unit` is the block of the unit, including workspace;
only one thread uses it. Two moves to the same position are written and counted twice. A successor outside the unit is
written as STORED plus its place in the store, or, if it is not stored, as its value for the side to move there. (LOSS:
the side to move has lost, so the move wins. Distances to the end assume that no game ends with a win for the side to
move.) A position without moves is lost.

A unit block made with `conversions` is for the metric MTC: for expand and predecessors, every irreversible move (a
capture, a man's move, a placement) then leaves the unit.

The set of squares p1 < p2 < ... < pk has the rank C(p1, 1) + C(p2, 2) + ... + C(pk, k) among all sets of k squares. If
some squares are occupied, the others are renumbered from 0 first. A set is a word with a bit for each square. In the
functions of ranks, `t` is the array that holds the binomial coefficients; `choices` is where they begin in it
(`binomials`).
"""

from collections.abc import Callable, Sequence
from math import comb
from typing import Protocol, TypeAlias

import numpy as np
from numba import types
from numpy.typing import NDArray

from gameforge.kernel import U0, U1, U2, U3, Word, WordArray, Words, ctz, inline, popcount

ByteArray: TypeAlias = NDArray[np.uint8]
"""An array of bytes: values or distances of positions."""

EXTERNAL_BITS = 16
"""`expand` counts the moves that leave the unit in its low 16 bits, and the others above them."""
MAX_MOVES = 240
"""Maximum number of moves of a position, and of its predecessors in the unit; at most 120 moves stay in the unit."""
STORED = 4
"""The first number that stands for a place in the store; smaller ones are values."""

_WORD, _WORDS = types.uint64, types.CPointer(types.uint64)
EXPAND = types.int64(_WORDS, _WORDS, _WORD, _WORDS)
"""The signature of `expand`."""
PREDECESSORS = EXPAND
"""The signature of `predecessors`."""

Expand: TypeAlias = Callable[[Words, Words, Word, Words], np.int64]
"""The function `expand`."""
Predecessors: TypeAlias = Callable[[Words, Words, Word, Words], np.int64]
"""The function `predecessors`."""

Unit = tuple[int, ...]
"""The numbers of the slices of a unit."""


class Indexer(Protocol):
    """The positions of a game's endings, in slices and units."""

    @property
    def sizes(self) -> Sequence[int]:
        """The number of positions of each slice; slices are numbered in the order in which they are solved."""
        ...

    @property
    def levels(self) -> Sequence[Sequence[Unit]]:
        """All units, by level."""
        ...

    @property
    def expand(self) -> Expand:
        """The compiled function that lists the moves of a position."""
        ...

    @property
    def predecessors(self) -> Predecessors:
        """The compiled function that lists the positions from which a move leads to a position."""
        ...

    def game_block(self, places: Sequence[int]) -> WordArray:
        """Make the block `game`; places[n] is the place of the first position of slice n in the store."""
        ...

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        """Make the block `unit`, with tables and workspace for one unit."""
        ...


def binomials(squares: int) -> list[int]:
    """Make the coefficients for sets of up to 7 squares out of `squares`: C(n, k) at 8 * n + k."""
    return [comb(n, k) for n in range(squares + 1) for k in range(8)]


@inline
def binomial(t: Words, choices: Word, n: Word, k: Word) -> Word:
    """Return C(n, k)."""
    return t[choices + (n << U3) + k]


@inline
def rank_of(t: Words, choices: Word, squares: Word, occupied: Word) -> Word:
    """Return the rank of a set among those of its size on the squares that are not occupied."""
    rank, k = U0, U0
    while squares:
        square = ctz(squares)
        squares &= squares - U1
        k += U1
        # Occupied squares below do not count: the free ones are renumbered without gaps.
        rank += binomial(t, choices, square - popcount(occupied & ((U1 << square) - U1)), k)
    return rank


@inline
def set_of(t: Words, choices: Word, last: Word, rank: Word, k: Word, occupied: Word) -> Word:
    """Return the set of k squares with this rank: the inverse of `rank_of`. last: the last square of the board."""
    squares = U0
    p = last
    while k:
        # C(p, k) sets of k squares come before those whose highest square is p: take the last p within the rank.
        while binomial(t, choices, p, k) > rank:
            p -= U1
        rank -= binomial(t, choices, p, k)
        k -= U1
        square = p
        while True:  # the p-th square that is not occupied, from 0
            shifted = p + popcount(occupied & ((U2 << square) - U1))
            if shifted == square:
                break
            square = shifted
        squares |= U1 << square
    return squares
