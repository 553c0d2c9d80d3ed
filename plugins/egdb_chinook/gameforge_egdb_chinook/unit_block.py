"""The block of a unit, which is a slice and the same slice with colours swapped.

A king's step leads from one slice of the unit to the other, and so does a step of a man that does not become its side's
leading man. All other moves lead to slices of earlier levels. The block of a unit holds the tables that the functions
of unit_moves.py need, and their workspace. It belongs to the thread that solves the unit.
"""

import functools
from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import at, ctz, popcount
from gameforge.kernel.compile.jit import inline, kernel
from gameforge_egdb_chinook.placement import spread, turned
from gameforge_egdb_chinook.slices import MEN_SQUARES, Slice, men_bases

# Layout of the block, in words.
SIDE, ROW, ROW_END, BLACK_MEN, WHITE_MEN, BLACK_KINGS, MIRRORED = range(7)
"""The current row of positions, which differ only in their white kings: the offset of its slice, its first position and
its end, the other pieces on the board, and the number of the men's arrangement on the reversed board."""
CONVERSIONS = 7
"""Not 0 if moves of men count as leaving the unit, as captures do."""
STATE, CHILD = 8, 11
"""Words of draughts states."""
MOVES = 16
BOARDS = 272
"""Offsets, in the game's block, of the arrangements of k kings, by k."""
CHOOSE = 288
"""C(p, k) at CHOOSE + 32 * k + p."""
SIDES = CHOOSE + 32 * 9
SIDE_WORDS = 16
FIRST, END, BK, WK, BM, WM, BLACK_RANK, WHITE_RANK, BLACK_SETS, WHITE_SETS, MEN, MIRROR, BASES, OTHER = range(14)
"""Words of a slice of the unit: its first position and end, pieces, ranks, numbers of arrangements of kings, offsets of
its men, of their mirror images and of their bases, and the offset of the other slice's words."""
_HEAD = SIDES + 2 * SIDE_WORDS

_0, _1, _2 = (np.uint64(n) for n in range(3))
_31, _32 = np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
Words = NDArray[np.uint64]


@functools.cache
def arrangements(pieces: int) -> Words:
    """All boards of `pieces` pieces in the order of their colex index; those on the first n squares come first."""
    boards = np.zeros(1, np.uint64)
    for n in range(1, pieces + 1):  # the n-th piece is on `square`, the others below it
        boards = np.concatenate([boards[: comb(square, n - 1)] | np.uint64(1 << square) for square in range(n - 1, 32)])
    return boards


@inline
def men_number(u: Any, choose: Any, side: Any, black_men: Any, white_men: Any) -> Any:
    """Number of an arrangement of men in its slice; `side` is the offset of the slice's words."""
    index = _0
    k = _0
    rest = black_men
    for _ in range(u[side + np.uint64(BM)]):
        k += _1
        index += choose[(k << np.uint64(5)) + ctz(rest)]
        rest &= rest - _1
    wm = u[side + np.uint64(WM)]
    number = u[u[side + np.uint64(BASES)] + index]
    if wm:
        below = u[side + np.uint64(WHITE_RANK)] << _2
        number -= choose[(wm << np.uint64(5)) + below - popcount(black_men >> (_32 - below))]
        rest = white_men
        k = wm
        for _ in range(wm):
            square = ctz(rest)
            rest &= rest - _1
            number += choose[(k << np.uint64(5)) + _31 - square - popcount(black_men >> (square + _1))]
            k -= _1
    return number


@kernel
def _men_of_slice(black_sets: Any, white_sets: Any, firsts: Any, counts: Any, men: Any) -> Any:
    """Write all arrangements of the men of a slice in order, black men in the low half of a word; returns their number.

    For set b of black men, the white men are sets firsts[b] to firsts[b] + counts[b] of the free squares.
    """
    n = 0
    for b in range(black_sets.size):
        opposite = turned(black_sets[b])
        for w in range(firsts[b], firsts[b] + counts[b]):
            men[n] = black_sets[b] | (turned(spread(white_sets[w], opposite)) << _32)
            n += 1
    return n


@kernel
def _mirrors(block: Any, side: Any, other: Any) -> Any:
    """Write, for each arrangement of men of a slice, the number of the reversed arrangement in the other slice."""
    u = at(block, _0)
    men, mirror = block[side + np.uint64(MEN)], block[side + np.uint64(MIRROR)]
    for i in range(mirror - men):
        pair = block[men + np.uint64(i)]
        number = men_number(u, at(block, np.uint64(CHOOSE)), other, turned(pair >> _32), turned(pair & _LOW))
        block[mirror + np.uint64(i)] = number


def _men(s: Slice) -> Words:
    """All arrangements of the men of a slice, in order."""
    low = comb(4 * s.black_rank, s.black_men) if s.black_men else 0
    black = arrangements(s.black_men)[low : comb(4 * (s.black_rank + 1), s.black_men)]
    if s.white_men == 0:
        return black
    white = arrangements(s.white_men)
    choose = np.array([comb(n, s.white_men) for n in range(MEN_SQUARES + 1)])
    below, up_to = (
        choose[4 * r - np.bitwise_count(black >> np.uint64(32 - 4 * r)).astype(int)]
        for r in (s.white_rank, s.white_rank + 1)
    )
    men = np.empty((up_to - below).sum(), np.uint64)
    _men_of_slice(black, white, below, up_to - below, men)
    return men


def unit_block(unit: Sequence[Slice], boards: Sequence[int], conversions: bool = False) -> Words:
    """Make the block of a unit; boards[k] is the offset of the arrangements of k kings in the game's block."""
    head = np.zeros(_HEAD, np.uint64)
    head[BOARDS : BOARDS + len(boards)] = boards
    head[CHOOSE : CHOOSE + 32 * 9] = [comb(p, k) for k in range(9) for p in range(32)]
    head[CONVERSIONS] = conversions
    parts = [head]
    length = len(head)
    first = 0
    for number, s in enumerate(unit):
        free = 32 - s.black_men - s.white_men
        men = _men(s)
        bases = men_bases(s.black_men, s.white_men)[0][s.white_rank]
        at_men, at_mirror, at_bases = length, length + len(men), length + 2 * len(men)
        other = (number + 1) % len(unit)
        start = SIDES + SIDE_WORDS * number
        head[start : start + 14] = (
            first,
            first + s.size,
            s.black_kings,
            s.white_kings,
            s.black_men,
            s.white_men,
            s.black_rank,
            s.white_rank,
            comb(free, s.black_kings),
            comb(free - s.black_kings, s.white_kings),
            at_men,
            at_mirror,
            at_bases,
            SIDES + SIDE_WORDS * other,
        )
        parts += [men, np.zeros_like(men), bases]
        length = at_bases + len(bases)
        first += s.size
    block = np.concatenate(parts)
    for number in range(len(unit)):
        start = SIDES + SIDE_WORDS * number
        _mirrors(block, np.uint64(start), block[start + OTHER])
    return block
