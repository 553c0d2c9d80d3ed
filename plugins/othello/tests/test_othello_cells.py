"""What patterns see of a position, beside the discs on the squares."""

import numpy as np
import pytest
from gameforge_othello.cells import CELLS
from hypothesis import given
from othello_positions import GAME, parse_position, positions, reached

from gameforge.interfaces.rules import State
from gameforge.kernel.compile.functions import call, compiled_function

_CELLS = compiled_function("cells", CELLS.cells)


def seen(state: State) -> list[int]:
    """The numbers after the two planes."""
    planes = np.zeros(2 + len(CELLS.numbers), np.uint64)
    call(_CELLS, CELLS.data, np.array(state, np.uint64), planes)
    assert planes[:2].tolist() == list(state[:2])
    return [int(word) for word in planes[2:]]


def placed(state: State) -> list[int]:
    return [move for move in GAME.legal(state) if move < 64]


@given(reached())
def test_numbers_are_those_of_the_moves(state: State) -> None:
    own, other, side = state
    mobility, theirs, odd, few, their_few, takes_all = seen(state)
    swapped = (other, own, 1 - side)
    assert (mobility, theirs) == (len(placed(state)), len(placed(swapped)))
    assert odd == (own | other).bit_count() % 2
    assert (few, their_few) == (max(0, 8 - own.bit_count()), max(0, 8 - other.bit_count()))
    assert takes_all == any(GAME.play(state, move)[0] == 0 for move in placed(state))


@given(positions())
def test_a_side_with_many_discs_never_loses_all_of_them_in_a_move(state: State) -> None:
    if state[1].bit_count() > 18:
        assert not any(GAME.play(state, move)[0] == 0 for move in placed(state))


@pytest.mark.parametrize(("move", "all_of_them"), [("f5", 0), ("e6f4e3f6g5d6e7f5", 1)])
def test_a_side_that_can_take_all_discs_is_seen(move: str, all_of_them: int) -> None:
    """The second is one move short of the shortest perfect game: c5 takes all discs of White."""
    assert seen(parse_position(move))[-1] == all_of_them
