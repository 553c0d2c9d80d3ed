"""alphabeta:ties=random plays all best moves of the root with equal chance, and no others."""

import pytest
from test_alphabeta_values import PLAIN, Reference
from tied_moves import GAME, require_all_best_moves, require_equal_chances, require_repeatable
from toy_games import Opinion, reachable

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.game import Position
from gameforge.play.player import Player

STATES = reachable()


def player(settings: str) -> Player:
    return gf.player(GAME, searcher=f"alphabeta:{settings}", evaluator=Opinion(), oracle="none")


@pytest.mark.parametrize("settings", [PLAIN, "quiescence=false,draws=false"], ids=["no table", "table"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_all_best_moves_and_no_others_are_played(depth: int, settings: str) -> None:
    """The best moves are those of the unpruned reference."""
    drawing = player(f"depth={depth},ties=random,{settings}")
    reference = Reference(drawing, "none")
    require_all_best_moves(drawing, STATES[::131], lambda state: reference.search(state, depth))


def test_best_moves_are_equally_likely() -> None:
    drawing = player("depth=9,ties=random")
    require_equal_chances(drawing)
    require_repeatable(drawing)


def test_a_single_best_move_is_always_played_and_the_default_is_the_first() -> None:
    plain, drawing = player("depth=4"), player("depth=4,ties=random")
    reference = Reference(plain, "none")
    for state in STATES[::197]:
        values = sorted(reference.search(state, 4).values())
        position = Position(GAME, state)
        if len(values) > 1 and values[-1] > values[-2]:
            assert plain.analyse(position).move == drawing.analyse(position).move
    assert len({plain.analyse(GAME.position()).move for _ in range(9)}) == 1


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(GameforgeError, match=r'searcher\.ties = "last": must be'):
        player("ties=last")
