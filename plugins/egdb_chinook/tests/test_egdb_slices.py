"""Numbering of positions: slices, index of a position, position of an index."""

import itertools
from math import comb

import numpy as np
import pytest
from gameforge_draughts.movegen import BIT_OF, WHITE_TO_MOVE
from gameforge_egdb_chinook.indexing import position_at, position_index, state_index
from gameforge_egdb_chinook.slices import Slice, materials, positions, slices, slices_of, table_block, tables
from hypothesis import given
from hypothesis import strategies as st

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.types import Word, WordArray

Squares = tuple[int, ...]
Position = tuple[Squares, Squares, Squares, Squares]
"""Black men, white men, black kings, white kings."""

PIECES = 5


@kernel
def index_of(t: WordArray, boards: WordArray) -> Word:
    return position_index(at(t, np.uint64(0)), boards[0], boards[1], boards[2], boards[3])


@kernel
def boards_at(t: WordArray, number: Word, index: Word, boards: WordArray) -> None:
    boards[0], boards[1], boards[2], boards[3] = position_at(at(t, np.uint64(0)), number, index)


@kernel
def index_of_state(t: WordArray, own: Word, opp: Word, kings: Word, white: Word) -> Word:
    return state_index(at(t, np.uint64(0)), own, opp, kings, white)


@kernel
def first_broken_round_trip(t: WordArray, number: Word, first: Word, end: Word) -> Word:
    index = first
    while index < end:
        bm, wm, bk, wk = position_at(at(t, np.uint64(0)), number, index)
        if position_index(at(t, np.uint64(0)), bm, wm, bk, wk) != index:
            return index
        index += np.uint64(1)
    return end


def squares_of(board: int) -> Squares:
    return tuple(s for s in range(32) if board >> s & 1)


def board_of(squares: Squares) -> int:
    return sum(1 << s for s in squares)


def colex(squares: Squares) -> int:
    return sum(comb(s, k) for k, s in enumerate(sorted(squares), 1))


def below(squares: Squares, occupied: Squares) -> Squares:
    """Squares renumbered among those that are not occupied."""
    return tuple(s - sum(o < s for o in occupied) for s in squares)


def reference_name(position: Position) -> str:
    """Name of the slice of a position."""
    bm, wm, bk, wk = position
    black_rank = max(bm) // 4 if bm else 0
    white_rank = (31 - min(wm)) // 4 if wm else 0
    return f"{len(bk)}{len(wk)}{len(bm)}{len(wm)}.{black_rank}{white_rank}"


def reference_white_men(bm: Squares, wm: Squares, rank: int) -> tuple[int, int]:
    """(index of the white men, number of their arrangements) in a slice."""
    reach = [4 * r - sum(s >= 32 - 4 * r for s in bm) for r in (rank, rank + 1)]
    if not wm:
        return 0, 1
    reversed_squares = tuple(31 - s - sum(b > s for b in bm) for s in wm)
    first = comb(reach[0], len(wm))
    return colex(reversed_squares) - first, comb(reach[1], len(wm)) - first


def reference_index(position: Position) -> int:
    """Index of a position in its slice; the base of its set of black men is summed from the first set on."""
    bm, wm, bk, wk = position
    rank = (31 - min(wm)) // 4 if wm else 0
    row = max(bm) // 4 if bm else 0
    earlier = (
        men
        for men in itertools.combinations(range(4 * (row + 1)), len(bm))
        if (not men or max(men) // 4 == row) and colex(men) < colex(bm)
    )
    men = sum(reference_white_men(set_, wm, rank)[1] for set_ in earlier) + reference_white_men(bm, wm, rank)[0]
    free = 32 - len(bm) - len(wm)
    men = men * comb(free, len(bk)) + colex(below(bk, bm + wm))
    return men * comb(free - len(bk), len(wk)) + colex(below(wk, bm + wm + bk))


@st.composite
def small_positions(draw: st.DrawFn, most: int = PIECES) -> Position:
    squares = draw(st.lists(st.integers(0, 31), min_size=2, max_size=most, unique=True))
    groups: list[list[int]] = [[], [], [], []]
    for n, square in enumerate(squares):
        side = n if n < 2 else draw(st.integers(0, 1))
        may_be_man = square < 28 if side == 0 else square > 3
        is_man = may_be_man and draw(st.booleans())
        groups[side if is_man else 2 + side].append(square)
    bm, wm, bk, wk = (tuple(sorted(group)) for group in groups)
    return bm, wm, bk, wk


def boards(position: Position) -> WordArray:
    return np.array([board_of(squares) for squares in position], np.uint64)


@given(small_positions())
def test_index_matches_the_reference_and_leads_back_to_the_position(position: Position) -> None:
    t = tables(PIECES)
    index = int(index_of(t, boards(position)))
    name = reference_name(position)
    number, found = next((n, s) for n, s in enumerate(slices(PIECES)) if s.name == name)
    assert index - found.start == reference_index(position)
    back = np.zeros(4, np.uint64)
    boards_at(t, np.uint64(number), np.uint64(index), back)
    assert tuple(map(squares_of, back.tolist())) == position


@given(small_positions(most=8))
def test_index_in_a_slice_of_up_to_8_pieces(position: Position) -> None:
    bm, wm, bk, wk = map(len, position)
    chosen = slices_of([(bk, wk, bm, wm)])
    t = table_block(chosen)
    index = int(index_of(t, boards(position)))
    number, found = next((n, s) for n, s in enumerate(chosen) if s.name == reference_name(position))
    if bm < 5:  # the reference lists all sets of black men
        assert index == found.start + reference_index(position)
    back = np.zeros(4, np.uint64)
    boards_at(t, np.uint64(number), np.uint64(index), back)
    assert tuple(map(squares_of, back.tolist())) == position


@given(small_positions())
def test_white_to_move_has_the_index_of_the_reversed_position(position: Position) -> None:
    t = tables(PIECES)

    def padded(squares: Squares) -> int:
        return sum(1 << BIT_OF[4 * (s // 4) + 3 - s % 4] for s in squares)

    def index(position: Position, white: int) -> int:
        bm, wm, bk, wk = position
        black, other = padded(bm + bk), padded(wm + wk)
        own, opp = (other, black) if white else (black, other)
        return int(index_of_state(t, *map(np.uint64, (own, opp, padded(bk + wk), white))))

    bm, wm, bk, wk = ([31 - s for s in squares] for squares in position)
    turned = (tuple(wm), tuple(bm), tuple(wk), tuple(bk))
    assert index(position, 0) == int(index_of(t, boards(position)))
    assert index(turned, 1) == index(position, 0)
    assert int(WHITE_TO_MOVE) == 1 << 63


@pytest.mark.parametrize("name", ["1100.00", "0011.23", "0111.42", "1021.30", "0022.11", "2110.00"])
def test_positions_of_a_slice_are_ordered_by_bitmasks(name: str) -> None:
    """By black men, then by white men with reversed squares, then by black kings, then by white kings."""
    number, s = next((n, s) for n, s in enumerate(slices(4)) if s.name == name)
    listed = []
    board = np.zeros(4, np.uint64)
    for index in range(s.start, s.start + min(s.size, 20_000)):
        boards_at(tables(4), np.uint64(number), np.uint64(index), board)
        bm, wm, bk, wk = board.tolist()
        assert sum(map(int.bit_count, (bm, wm, bk, wk))) == (bm | wm | bk | wk).bit_count()
        position = (squares_of(bm), squares_of(wm), squares_of(bk), squares_of(wk))
        assert reference_name(position) == name
        listed.append((bm, int(f"{wm:032b}"[::-1], 2), bk, wk))
    assert listed == sorted(set(listed))


def test_every_index_leads_to_a_position_with_the_same_index() -> None:
    t = tables(4)
    for number, s in enumerate(slices(4)):
        end = np.uint64(s.start + s.size)
        assert first_broken_round_trip(t, np.uint64(number), np.uint64(s.start), end) == end


@pytest.mark.parametrize(
    ("pieces", "expected"), [(2, 3_488), (3, 196_032), (4, 6_209_316), (5, 139_450_808), (6, 2_426_085_676)]
)
def test_number_of_positions_with_both_sides_present(pieces: int, expected: int) -> None:
    assert positions(pieces) - (positions(pieces - 1) if pieces > 2 else 0) == expected


def both_sides(pieces: int) -> int:
    """Number of positions with `pieces` pieces in which both sides have one, summed over the black men on row 0."""
    total = 0
    for bk, wk, bm, wm in materials(pieces):
        if bk + wk + bm + wm == pieces:
            men = sum(comb(4, f) * comb(24, bm - f) * comb(28 - bm + f, wm) for f in range(min(4, bm) + 1))
            total += men * comb(32 - bm - wm, bk) * comb(32 - bm - wm - bk, wk)
    return total


@pytest.mark.parametrize("pieces", [6, 7, 8])
def test_slices_of_larger_databases_hold_every_position_once(pieces: int) -> None:
    assert sum(s.size for s in slices(pieces) if s.pieces == pieces) == both_sides(pieces)


def test_db4_has_881_slices_and_the_first_has_992_positions() -> None:
    assert len(slices(4)) == 881
    first = slices(4)[0]
    assert (first.name, first.start, first.size) == ("1100.00", 0, 992)


def test_slices_are_consecutive_and_ordered_by_level() -> None:
    every = slices(5)
    assert [s.start for s in every[1:]] == [s.start + s.size for s in every[:-1]]
    assert [s.level for s in every] == sorted(s.level for s in every)


def test_smaller_databases_are_a_prefix_of_larger_ones() -> None:
    def rows(pieces: int) -> list[tuple[Slice, int, int]]:
        return [(s, s.start, s.size) for s in slices(pieces)]

    assert rows(5)[: len(rows(4))] == rows(4)
