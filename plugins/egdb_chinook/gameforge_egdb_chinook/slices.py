"""Positions with up to 8 pieces, Black to move, as one row of slices, and the tables to find one.

A slice holds the positions with the same pieces whose most advanced men stand on the same rows:
(black kings, white kings, black men, white men, rank of Black's leading man, of White's), ranks
0..6 counted from the side's own back row, 0 without men (specification of the Chinook database,
sections 1.2 and 1.3). Both sides have a piece.

Slices lie in the order in which retrograde analysis can solve them. A capture leads to fewer pieces,
a promotion to fewer men, a step of a leading man to a larger sum of ranks; any other move stays at
the same level: same number of pieces and men, same sum of ranks.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from math import comb

import attrs
import numpy as np
from numpy.typing import NDArray

MAX_PIECES = 8
"""Most pieces of a slice: a side has 1 to 7."""

# Layout of the table block, in words.
PIECES = 0
VALUES = 1
"""Offset of the packed values (store.py), 0 in a block without them."""
MATERIALS = 2
"""Offset by material (`material_code`): where the places of its 49 slices stand, 0 if not covered."""
MEN = 3
"""Offset by (black men, white men): where the bases of the men's arrangements stand."""
SLICES = 4
"""Offset of the slices, SLICE_WORDS words each: start, kings, men and ranks in the order of `Slice`."""
BINOMIALS = 8
"""C(n, k) at BINOMIALS + 8 * n + k."""
SLICE_WORDS = 8
MEN_SQUARES = 28
"""A man never stands on its crowning row."""
RANKS = 7

Material = tuple[int, int, int, int]
"""Black kings, white kings, black men, white men."""


@attrs.frozen
class Slice:
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
        """Slices of one level depend on each other and on earlier levels only."""
        return self.pieces, self.black_men + self.white_men, -(self.black_rank + self.white_rank)


def material_code(black_kings: int, white_kings: int, black_men: int, white_men: int) -> int:
    """Octal digits of a material; an offset behind the word MATERIALS."""
    return ((black_kings * 8 + white_kings) * 8 + black_men) * 8 + white_men


def materials(pieces: int) -> Iterator[Material]:
    """All materials with up to `pieces` pieces, both sides present."""
    for counts in itertools.product(range(pieces), repeat=4):
        bk, wk, bm, wm = counts
        if bk + bm and wk + wm and sum(counts) <= pieces:
            yield bk, wk, bm, wm


@functools.cache
def _black_men_sets(men: int) -> NDArray[np.uint64]:
    """All arrangements of black men as boards, in the order of their colex index."""
    sets = np.zeros(1, np.uint64)
    for n in range(1, men + 1):  # the n-th man stands on `square`, the others below it
        squares = range(n - 1, MEN_SQUARES)
        sets = np.concatenate([sets[: comb(square, n - 1)] | np.uint64(1 << square) for square in squares])
    return sets


@functools.cache
def men_bases(black_men: int, white_men: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Bases and sizes of the men's arrangements, in table form.

    Row r of the bases, shape [ranks of White, sets of black men], holds for every set the number
    of arrangements of the same slice with an earlier set, where White's leading man has rank r (one row
    if White has no men).
    Entry [b, w] of the sizes, shape [7, 7], counts the arrangements with those ranks.
    """
    sets = _black_men_sets(black_men)
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
    """All slices of these materials that hold a position, in solving order, one behind the other."""
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
    """All slices with up to `pieces` pieces that hold a position, in solving order."""
    return slices_of(materials(pieces))


def positions(pieces: int) -> int:
    """Number of positions in all slices with up to `pieces` pieces."""
    last = slices(pieces)[-1]
    return last.start + last.size


def table_block(every: Sequence[Slice], places: Sequence[int] | None = None) -> NDArray[np.uint64]:
    """The block that the functions of indexing.py read, for these slices.

    The place of a slice is the index of its first position, or any other word that a user of the
    block keeps for it (given in the order of the slices). Slices come in whole materials.
    """
    parts: list[NDArray[np.uint64]] = []
    head = np.zeros(BINOMIALS + 33 * 8, np.uint64)
    head[BINOMIALS:] = [comb(n, k) for n in range(33) for k in range(8)]
    length = len(head)

    def append(part: NDArray[np.uint64]) -> int:
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
def tables(pieces: int) -> NDArray[np.uint64]:
    """The block for all slices with up to `pieces` pieces."""
    return table_block(slices(pieces))
