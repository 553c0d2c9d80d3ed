"""The division of all positions with up to 8 pieces, Black to move, into slices, and the tables to find a slice.

A slice holds the positions of one material whose most advanced men are on the same rows. It is identified by the
numbers of black kings, white kings, black men and white men, and the ranks of Black's and of White's leading man. Ranks
0..6 are counted from the side's own back row; the rank of a side without men is 0. Both sides have a piece. This is the
division of Chinook's databases.

Slices are numbered in the order in which retrograde analysis can solve them. A capture leads to fewer pieces, a
promotion to fewer men, and a step of a leading man to a larger sum of ranks. Any other move stays at the same level:
the same numbers of pieces and men, and the same sum of ranks.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from math import comb

import attrs
import numpy as np
from gameforge_retrograde.indexer import binomials

from gameforge.kernel import WordArray

MAX_PIECES = 8
"""Maximum number of pieces of a slice; a side has 1 to 7 of them."""

# Layout of the table block, in words.
PIECES = 0
VALUES = 1
"""Offset of the packed values (oracle.py), 0 in a block without them."""
MATERIALS = 2
"""Offset of a table by `material_code`: the offset of the places of the material's 49 slices, 0 if not covered."""
MEN = 3
"""Offset of a table by (black men, white men): the offset of the bases of the men's arrangements."""
SLICES = 4
"""Offset of the slices, SLICE_WORDS words each: start, kings, men and ranks in the order of `Slice`."""
BINOMIALS = 8
"""C(n, k) at BINOMIALS + 8 * n + k."""
SLICE_WORDS = 8
MEN_SQUARES = 28
"""Squares on which a man can be: all but its crowning row."""
RANKS = 7

Material = tuple[int, int, int, int]
"""Numbers of black kings, white kings, black men and white men."""


@attrs.frozen
class Slice:
    """A slice: its material, the ranks of the leading men, and where its positions are in the numbering."""

    black_kings: int
    white_kings: int
    black_men: int
    white_men: int
    black_rank: int
    white_rank: int
    start: int = attrs.field(eq=False)
    """Index of its first position among those of all slices."""
    size: int = attrs.field(eq=False)

    @property
    def name(self) -> str:
        return (
            f"{self.black_kings}{self.white_kings}{self.black_men}{self.white_men}.{self.black_rank}{self.white_rank}"
        )

    @property
    def pieces(self) -> int:
        return self.black_kings + self.white_kings + self.black_men + self.white_men

    @property
    def material(self) -> Material:
        return self.black_kings, self.white_kings, self.black_men, self.white_men

    @property
    def level(self) -> tuple[int, int, int]:
        """Sort key of the solving order; slices of a level depend only on each other and on earlier levels."""
        return self.pieces, self.black_men + self.white_men, -(self.black_rank + self.white_rank)


def material_code(black_kings: int, white_kings: int, black_men: int, white_men: int) -> int:
    """The material as a number with one octal digit per kind of piece, the index into the table MATERIALS."""
    return ((black_kings * 8 + white_kings) * 8 + black_men) * 8 + white_men


def materials(pieces: int) -> Iterator[Material]:
    """All materials with up to `pieces` pieces in which both sides have a piece."""
    for counts in itertools.product(range(pieces), repeat=4):
        bk, wk, bm, wm = counts
        if bk + bm and wk + wm and sum(counts) <= pieces:
            yield bk, wk, bm, wm


@functools.cache
def arrangements(pieces: int, squares: int = 32) -> WordArray:
    """All boards of `pieces` pieces on the first `squares` squares, in the order of their colex index."""
    boards = np.zeros(1, np.uint64)
    for n in range(1, pieces + 1):  # the n-th piece is on `square`, the others below it
        last = range(n - 1, squares)
        boards = np.concatenate([boards[: comb(square, n - 1)] | np.uint64(1 << square) for square in last])
    return boards


@functools.cache
def men_bases(black_men: int, white_men: int) -> tuple[WordArray, WordArray]:
    """Bases and sizes of the men's arrangements.

    The bases have shape [ranks of White, sets of black men]; there is one row if White has no men. Row r belongs to the
    slices in which White's leading man has rank r. It holds, for every set of black men, the number of arrangements in
    the same slice with an earlier set. Entry [b, w] of the sizes, shape [7, 7], is the number of arrangements with
    those ranks.
    """
    sets = arrangements(black_men, MEN_SQUARES)
    bases = np.zeros((RANKS if white_men else 1, len(sets)), np.uint64)
    sizes = np.zeros((RANKS, RANKS), np.uint64)
    choose = np.array([comb(n, white_men) for n in range(MEN_SQUARES + 1)], np.uint64)
    for white_rank in range(RANKS if white_men else 1):
        reachable = [
            4 * rank - np.bitwise_count(sets >> np.uint64(32 - 4 * rank)).astype(int)
            for rank in (white_rank, white_rank + 1)
        ]
        counts = choose[reachable[1]] - choose[reachable[0]] if white_men else np.ones(len(sets), np.uint64)
        for black_rank in range(RANKS if black_men else 1):
            first = comb(4 * black_rank, black_men) if black_men else 0
            end = comb(4 * (black_rank + 1), black_men)
            total = np.cumsum(counts[first:end])
            bases[white_rank, first:end] = total - counts[first:end]
            sizes[black_rank, white_rank] = total[-1] if len(total) else 0
    return bases, sizes


def slices_of(chosen: Iterable[Material]) -> tuple[Slice, ...]:
    """All slices of these materials that are not empty, in solving order, numbered consecutively."""
    found = []
    for bk, wk, bm, wm in chosen:
        sizes = men_bases(bm, wm)[1]
        kings = comb(32 - bm - wm, bk) * comb(32 - bm - wm - bk, wk)
        for black_rank, white_rank in np.argwhere(sizes).tolist():
            size = int(sizes[black_rank, white_rank]) * kings
            found.append(Slice(bk, wk, bm, wm, black_rank, white_rank, start=0, size=size))
    found.sort(key=lambda s: (s.level, s.name))
    ends = itertools.accumulate(s.size for s in found)
    return tuple(attrs.evolve(s, start=end - s.size) for s, end in zip(found, ends, strict=True))


@functools.cache
def slices(pieces: int) -> tuple[Slice, ...]:
    """All slices with up to `pieces` pieces that are not empty, in solving order."""
    return slices_of(materials(pieces))


def positions(pieces: int) -> int:
    """Number of positions in all slices with up to `pieces` pieces."""
    last = slices(pieces)[-1]
    return last.start + last.size


def table_block(every: Sequence[Slice], places: Sequence[int] | None = None) -> WordArray:
    """The block of tables that the functions of indexing.py read, for these slices, which must be whole materials.

    The place of a slice is a word that is looked up by its material and ranks. By default it is the index of the
    slice's first position; `places` gives others, in the order of the slices.
    """
    parts: list[WordArray] = []
    head = np.zeros(BINOMIALS + 33 * 8, np.uint64)
    head[BINOMIALS:] = binomials(32)
    length = len(head)

    def append(part: WordArray) -> int:
        nonlocal length
        parts.append(part)
        length += len(part)
        return length - len(part)

    by_material = np.zeros(8**4, np.uint64)
    by_men = np.zeros(8 * 8, np.uint64)
    head[[PIECES, MATERIALS, MEN]] = max(s.pieces for s in every), append(by_material), append(by_men)
    by_counts = {s.material: np.zeros(RANKS * RANKS, np.uint64) for s in every}
    rows = np.zeros((len(every), SLICE_WORDS), np.uint64)
    for row, s, place in zip(rows, every, places or [s.start for s in every], strict=True):
        by_counts[s.material][RANKS * s.black_rank + s.white_rank] = place
        row[:7] = s.start, *s.material, s.black_rank, s.white_rank
    head[SLICES] = append(rows.ravel())
    for counts, part in by_counts.items():
        by_material[material_code(*counts)] = append(part)
    for black_men, white_men in {counts[2:] for counts in by_counts}:
        by_men[8 * black_men + white_men] = append(men_bases(black_men, white_men)[0].ravel())
    return np.concatenate([head, *parts])


@functools.cache
def tables(pieces: int) -> WordArray:
    """The block of tables for all slices with up to `pieces` pieces."""
    return table_block(slices(pieces))
