"""The symmetry of draughts: the board is turned and the colours are exchanged."""

from draughts_positions import compiled, positions
from gameforge_draughts.rules import Draughts
from hypothesis import given

from gameforge.interfaces.capabilities import Symmetries
from gameforge.interfaces.rules import State
from gameforge.play.game import Game

KERNEL = compiled()
RULES = Draughts()


def test_the_capability_is_offered() -> None:
    assert isinstance(RULES.symmetries, Symmetries)
    assert RULES.symmetries.count == 2


@given(positions())
def test_moves_and_their_successors_turn_with_the_board(state: State) -> None:
    turned = RULES.symmetries.state_image(state, 1)
    moves = KERNEL.legal(state)
    images = [RULES.symmetries.move_image(state, move, 1) for move in moves]
    assert sorted(images) == sorted(KERNEL.legal(turned))
    for move, image in zip(moves, images, strict=True):
        assert KERNEL.play(turned, image) == RULES.symmetries.state_image(KERNEL.play(state, move), 1)
        assert KERNEL.irreversible(turned, image) == KERNEL.irreversible(state, move)
        assert RULES.symmetries.move_image(turned, image, 1) == move


@given(positions())
def test_turning_twice_changes_nothing(state: State) -> None:
    assert RULES.symmetries.state_image(RULES.symmetries.state_image(state, 1), 1) == state
    assert RULES.symmetries.state_image(state, 0) == state
    assert RULES.side_to_move(RULES.symmetries.state_image(state, 1)) == 1 - RULES.side_to_move(state)


def test_a_position_and_a_move_turned_by_hand() -> None:
    game = Game(RULES)
    position = game.position("B:W10,18,19,K28:B6,K32")
    turned = RULES.symmetries.state_image(position.state, 1)
    assert turned == game.parse_position("W:WK1,27:BK5,14,15,23")
    here = game.position("B:W10,18:B6")
    move = here.play("6x15x22").last_move
    assert move is not None
    there = game.position("W:W27:B15,23")
    assert there.play("27x18x11").last_move == RULES.symmetries.move_image(here.state, move, 1)
