"""minimax:ties=random plays all best moves of the root with equal chance, and no others."""

import collections

import numpy as np
import pytest
from minimax_reference import minimax
from noughts import Noughts, Opinion, evaluate, reachable

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

GAME = Game(Noughts())


def opinion(state: State) -> float:
    return float(evaluate(None, None, np.array(state, np.uint64), None))


def player(settings: str) -> Player:
    return gf.player(GAME, searcher=f"minimax:{settings}", evaluator=Opinion(), oracle="none")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_all_best_moves_and_no_others_are_played(depth: int) -> None:
    drawing = player(f"depth={depth},ties=random")
    tied = 0
    for state in reachable()[::67]:
        position = Position(GAME, state)
        values = {
            code: minimax(GAME, GAME.play(state, code), depth - 1, opinion, is_root=False, is_max=False)[0]
            for code in position.codes
        }
        best = {move for move, value in values.items() if value == max(values.values())}
        found = set()
        for seed in range(20 * len(best) if len(best) > 1 else 3):
            drawing.reseed(seed)
            answer = drawing.analyse(position)
            assert answer.score == max(values.values())
            assert answer.line[0] == answer.move
            found.add(answer.move.code)
        assert found == best, (depth, state)
        tied += len(best) > 1
    assert tied >= 5


def test_best_moves_are_equally_likely() -> None:
    """In the initial position all nine moves are equal, to the end of the game."""
    drawing = player("depth=9,ties=random")
    position = GAME.position()
    counts = collections.Counter(drawing.analyse(position).move.code for _ in range(900))
    assert len(counts) == 9
    assert min(counts.values()) > 65  # 100 are expected; fewer than 66 occur less than once in 10,000 runs


def test_the_seed_decides_and_the_default_is_the_first() -> None:
    drawing, position = player("depth=4,ties=random"), GAME.position()
    drawing.reseed(5)
    first = [drawing.analyse(position).move for _ in range(5)]
    drawing.reseed(5)
    assert first == [drawing.analyse(position).move for _ in range(5)]
    assert len({player("depth=4").analyse(position).move for _ in range(9)}) == 1


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(GameforgeError, match=r'searcher\.ties = "last": must be'):
        player("ties=last")
