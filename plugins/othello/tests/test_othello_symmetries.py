"""The eight symmetries of the board."""

import pytest
from gameforge_othello.cells import OF_THE_START, SYMMETRIES
from gameforge_othello.evaluation import Material, Mobility, Wpc
from gameforge_othello.movegen import NAMES, PASS, START
from gameforge_othello.rules import Othello
from hypothesis import given
from othello_positions import GAME, positions
from test_othello_evaluators import score

from gameforge.interfaces.capabilities import Symmetries
from gameforge.interfaces.rules import State

EACH = range(SYMMETRIES.count)
RULES = Othello()


def test_the_capability_is_offered() -> None:
    assert isinstance(RULES.symmetries, Symmetries)
    assert RULES.symmetries.count == 8


@given(positions())
def test_moves_and_successors_turn_with_the_board(state: State) -> None:
    legal = GAME.legal(state)
    for i in EACH:
        turned = RULES.symmetries.state_image(state, i)
        assert sorted(GAME.legal(turned)) == sorted(RULES.symmetries.move_image(state, move, i) for move in legal)
        assert GAME.code(turned, len(legal)) == GAME.code(state, len(legal))
        for move in legal:
            after = RULES.symmetries.state_image(GAME.play(state, move), i)
            assert GAME.play(turned, RULES.symmetries.move_image(state, move, i)) == after


@given(positions())
def test_they_are_a_group_of_eight(state: State) -> None:
    """The composition of any two is one of them, and the first is the identity."""
    for i in EACH:
        assert SYMMETRIES.state_image(state, 0) == state
        for j in EACH:
            both = [SYMMETRIES.move_image(START, SYMMETRIES.move_image(START, square, i), j) for square in range(64)]
            (k,) = [k for k in EACH if [SYMMETRIES.move_image(START, square, k) for square in range(64)] == both]
            assert SYMMETRIES.state_image(SYMMETRIES.state_image(state, i), j) == SYMMETRIES.state_image(state, k)


def test_they_are_eight_different_ones_and_leave_a_pass_alone() -> None:
    assert len({tuple(SYMMETRIES.move_image(START, square, i) for square in range(64)) for i in EACH}) == 8
    images = {NAMES[SYMMETRIES.move_image(START, NAMES.index("b1"), i)] for i in EACH}
    assert images == {"b1", "g1", "b8", "g8", "a2", "a7", "h2", "h7"}
    assert [SYMMETRIES.move_image(START, PASS, i) for i in EACH] == [PASS] * 8


def test_four_of_them_keep_the_start_and_make_all_first_moves_equivalent() -> None:
    assert len(OF_THE_START) == 4
    first = GAME.legal(START)
    assert {SYMMETRIES.move_image(START, first[0], i) for i in OF_THE_START} == set(first)


@pytest.mark.parametrize("evaluator", [Wpc(), Material(), Mobility()])
def test_scores_do_not_depend_on_the_side_of_the_board(evaluator: Wpc | Material | Mobility) -> None:
    state = GAME.position("f5d6c3d3c4f4f6f3e6e7d7").state
    scores = [score(evaluator, SYMMETRIES.state_image(state, i)) for i in EACH]
    assert scores == pytest.approx([scores[0]] * 8, abs=1e-6)
