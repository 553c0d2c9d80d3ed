"""Ranks of sets of squares."""

import itertools

import numpy as np
import pytest
from gameforge_retrograde.indexer import binomials, rank_of, set_of

from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.types import Word, WordArray

SQUARES = 7
CHOICES = 3
"""Where the coefficients begin in the tables."""


@kernel
def rank(t: WordArray, squares: Word, occupied: Word) -> Word:
    return rank_of(t, np.uint64(CHOICES), squares, occupied)


@kernel
def squares_at(t: WordArray, rank: Word, k: Word, occupied: Word) -> Word:
    return set_of(t, np.uint64(CHOICES), np.uint64(SQUARES - 1), rank, k, occupied)


@pytest.mark.parametrize("occupied", [0, 0b1, 0b1000000, 0b0110010])
@pytest.mark.parametrize("k", range(5))
def test_sets_on_the_squares_that_are_free_are_numbered_in_colexicographic_order(k: int, occupied: int) -> None:
    t = np.array([0] * CHOICES + binomials(SQUARES), np.uint64)
    free = [square for square in range(SQUARES) if not occupied >> square & 1]
    sets = sorted(sum(1 << square for square in chosen) for chosen in itertools.combinations(free, k))
    for number, squares in enumerate(sets):
        assert rank(t, np.uint64(squares), np.uint64(occupied)) == number
        assert squares_at(t, np.uint64(number), np.uint64(k), np.uint64(occupied)) == squares
