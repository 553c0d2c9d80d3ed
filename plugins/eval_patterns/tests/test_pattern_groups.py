"""Groups of cells: generated ones against known counts, families under symmetries, weights that are shared."""

import itertools
from typing import Any

import numpy as np
import pytest
from gameforge_draughts.cells import BANDS, BLOCKS
from gameforge_draughts.cells import CELLS as DRAUGHTS
from gameforge_eval_patterns.layout import families, generated, groups, lines, rectangles
from gameforge_morris.cells import CELLS as MORRIS
from gameforge_othello.cells import CELLS as OTHELLO

from gameforge.errors import GameforgeError

GRID = tuple((row, column) for row in range(6) for column in range(7))


@pytest.mark.parametrize(("length", "number"), [(1, 42), (2, 131), (4, 69), (6, 23), (7, 6), (8, 0)])
def test_lines_on_the_board_of_connect_four(length: int, number: int) -> None:
    found = list(lines(GRID, length))
    assert len(found) == len(set(map(frozenset, found))) == number
    assert {len(line) for line in found} <= {length}


def test_lines_on_the_dark_squares_are_diagonals() -> None:
    found = list(lines(DRAUGHTS.places, 8))
    assert [DRAUGHTS.labels[cell] for cell in found[0]] == ["4", "8", "11", "15", "18", "22", "25", "29"]
    assert len(found) == 1


@pytest.mark.parametrize(("height", "width", "number"), [(2, 4, 20), (4, 2, 18), (6, 7, 1), (7, 1, 0), (1, 1, 42)])
def test_rectangles_on_the_board_of_connect_four(height: int, width: int, number: int) -> None:
    found = list(rectangles(GRID, height, width))
    assert len(found) == number
    assert {len(pattern) for pattern in found} <= {height * width}


def test_rectangles_on_the_dark_squares_are_the_windows_of_anaconda() -> None:
    sizes = [len(list(rectangles(DRAUGHTS.places, size, size))) for size in range(3, 9)]
    assert sizes == [36, 25, 16, 9, 4, 1]
    assert set(map(frozenset, rectangles(DRAUGHTS.places, 2, 8))) == set(map(frozenset, BANDS))
    assert set(map(frozenset, rectangles(DRAUGHTS.places, 4, 4))) > set(map(frozenset, BLOCKS))


def test_draughts_has_bands_and_blocks_of_eight_squares() -> None:
    assert (len(BANDS), len(BLOCKS)) == (7, 15)
    assert {len(set(pattern)) for pattern in BANDS + BLOCKS} == {8}
    assert set(itertools.chain(*BANDS)) == set(itertools.chain(*BLOCKS)) == set(range(32))


@pytest.mark.parametrize(
    ("cells", "members", "weights"),
    [
        (OTHELLO, [4, 4, 8, 4, 4, 4, 2, 4, 4, 4, 4], [29646, 10206, 59049, 3321, 3321, 3321, 3321, 1134, 378, 135, 45]),
        (MORRIS, [2, 1, 4, 4], None),
    ],
)
def test_families_of_the_sets(cells: Any, members: list[int], weights: list[int] | None) -> None:
    """As many members and weights as there are images of the pattern, and of its configurations."""
    found = families(next(iter(cells.sets.values())).patterns, cells.images)
    assert [len(family.members) for family in found] == members
    if weights is not None:
        assert [int(family.fold(3).max()) + 1 for family in found] == weights


def test_images_of_a_configuration_share_its_weight() -> None:
    (family,) = families([(0, 1, 2, 8, 9, 10, 16, 17, 18)], OTHELLO.images)
    fold = family.fold(3)
    place = {cell: i for i, cell in enumerate(family.members[0])}
    for image in OTHELLO.images:
        if {image[cell] for cell in place} != set(place):
            continue
        for configuration in range(0, 3**9, 7):
            digits = [configuration // 3**i % 3 for i in range(9)]
            turned = sum(digits[i] * 3 ** place[image[cell]] for cell, i in place.items())
            assert fold[configuration] == fold[turned]


def test_a_pattern_that_is_there_already_is_left_out() -> None:
    found = families([(0, 1), (1, 0), (62, 63), (0, 8), (0, 1, 2)], OTHELLO.images)
    assert [family.size for family in found] == [2, 3]


def test_boards_without_rectangles_and_lines_have_single_cells() -> None:
    assert generated([(0, 0), (0, 1)]) == ((0,), (1,))
    assert len(generated(GRID)) == 20 + 18 + 69


def test_a_text_names_patterns() -> None:
    named = groups("cells a1 b2; lines 8; classic; lines 8", OTHELLO)
    assert named[0] == (0, 9)
    assert len(named) == 1 + 18 + 11 - 4  # rows 2 to 4 and the diagonal are lines
    assert groups(" rectangles 2x8  4x4 ", DRAUGHTS)[:7] == BANDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clasic", "'clasic' is not a set of the game's, 'lines 4', 'rectangles 2x4' or 'cells a1 b1' (did you mean"),
        ("cells a1 i9", "'i9' is not a cell of the board; its cells are a1 to h8"),
        ("cells a1 a1", "the pattern a1 a1 names the cell 'a1' twice"),
        ("lines 9", "the board has no line of 9 cells"),
        ("lines four", "'four' is not the length of a line, as in 'lines 4'"),
        ("rectangles 2x9", "the board has no rectangle of 2x9"),
        ("rectangles 2", "'2' is not rows x columns, as in 'rectangles 2x4'"),
        ("lines", "'lines' is not a set of the game's, 'lines 4', 'rectangles 2x4' or 'cells a1 b1'; sets: classic"),
        ("cells", "'cells' must be followed by the cells of a pattern, a1 to h8, as in 'cells a1 b1'"),
        ("lines 4;", "'' is not a set of the game's"),
    ],
)
def test_a_wrong_text_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        groups(text, OTHELLO)
    assert str(error.value).startswith(f"patterns: {message}")
    assert "\n" not in str(error.value)


def test_folds_of_a_pattern_without_symmetries_are_the_configurations() -> None:
    (family,) = families([(0, 1, 9)], ())
    np.testing.assert_array_equal(family.fold(3), np.arange(27))
