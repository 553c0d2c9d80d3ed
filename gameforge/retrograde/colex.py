"""Kernel functions that number sets of squares: colexicographic ranks, from a table of binomial coefficients.

The set of squares p1 < p2 < ... < pk has the rank C(p1, 1) + C(p2, 2) + ... + C(pk, k) among all sets of k squares. If
some squares are occupied, the others are renumbered from 0 first. A set is a word with a bit for each square.

`t` is the array that holds the coefficients; `choices` is where they begin in it (`binomials`).
"""

from math import comb
from typing import Any

import numpy as np

from gameforge.kernel.bits import ctz, popcount
from gameforge.kernel.compile.jit import inline

_0, _1, _2, _3 = (np.uint64(n) for n in range(4))


def binomials(squares: int) -> list[int]:
    """Make the coefficients for sets of up to 7 squares out of `squares`: C(n, k) at 8 * n + k."""
    return [comb(n, k) for n in range(squares + 1) for k in range(8)]


@inline
def binomial(t: Any, choices: Any, n: Any, k: Any) -> Any:
    """Return C(n, k)."""
    return t[choices + (n << _3) + k]


@inline
def rank_of(t: Any, choices: Any, squares: Any, occupied: Any) -> Any:
    """Return the rank of a set among those of its size on the squares that are not occupied."""
    rank, k = _0, _0
    while squares:
        square = ctz(squares)
        squares &= squares - _1
        k += _1
        rank += binomial(t, choices, square - popcount(occupied & ((_1 << square) - _1)), k)
    return rank


@inline
def set_of(t: Any, choices: Any, last: Any, rank: Any, k: Any, occupied: Any) -> Any:
    """Return the set of k squares with this rank: the inverse of `rank_of`. last: the last square of the board."""
    squares = _0
    p = last
    while k:
        while binomial(t, choices, p, k) > rank:
            p -= _1
        rank -= binomial(t, choices, p, k)
        k -= _1
        square = p
        while True:  # the p-th square that is not occupied, from 0
            shifted = p + popcount(occupied & ((_2 << square) - _1))
            if shifted == square:
                break
            square = shifted
        squares |= _1 << square
    return squares
