"""minimax:ties=random plays all best moves of the root with equal chance, and no others."""

import pytest
from minimax_reference import minimax
from tied_moves import GAME, require_all_best_moves, require_equal_chances, require_repeatable
from toy_games import Opinion, guess, reachable

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Position
from gameforge.play.player import Player


def player(settings: str) -> Player:
    return gf.player(GAME, searcher=f"minimax:{settings}", evaluator=Opinion(), oracle="none")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_all_best_moves_and_no_others_are_played(depth: int) -> None:
    def values(state: State) -> dict[int, float]:
        return {
            code: minimax(GAME, GAME.play(state, code), depth - 1, guess, is_root=False, is_max=False)[0]
            for code in Position(GAME, state).codes
        }

    require_all_best_moves(player(f"depth={depth},ties=random"), reachable()[::67], values)


def test_best_moves_are_equally_likely() -> None:
    require_equal_chances(player("depth=9,ties=random"))


def test_the_seed_decides_and_the_default_is_the_first() -> None:
    require_repeatable(player("depth=4,ties=random"))
    assert len({player("depth=4").analyse(GAME.position()).move for _ in range(9)}) == 1


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(GameforgeError, match=r'searcher\.ties = "last": must be'):
        player("ties=last")
