"""alphabeta:ties=random plays all best moves of the root with equal chance, and no others."""

import collections

import pytest
from noughts import Noughts, Opinion, reachable
from test_alphabeta_values import PLAIN, Reference

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

GAME = Game(Noughts())
STATES = reachable()


def player(settings: str) -> Player:
    return gf.player(GAME, searcher=f"alphabeta:{settings}", evaluator=Opinion(), oracle="none")


@pytest.mark.parametrize("settings", [PLAIN, "quiescence=false,draws=false"], ids=["no table", "table"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_all_best_moves_and_no_others_are_played(depth: int, settings: str) -> None:
    """The best moves are those of the unpruned reference."""
    drawing = player(f"depth={depth},ties=random,{settings}")
    reference = Reference(drawing, "none")
    tied = 0
    for state in STATES[::67]:
        expected = reference.search(state, depth)
        best = {move for move, value in expected.items() if value == max(expected.values())}
        found = set()
        for seed in range(20 * len(best) if len(best) > 1 else 3):
            drawing.reseed(seed)
            answer = drawing.analyse(Position(GAME, state))
            assert answer.score == max(expected.values())
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
    drawing.reseed(5)
    first = [drawing.analyse(position).move for _ in range(5)]
    drawing.reseed(5)
    assert first == [drawing.analyse(position).move for _ in range(5)]


def test_a_single_best_move_is_always_played_and_the_default_is_the_first() -> None:
    plain, drawing = player("depth=4"), player("depth=4,ties=random")
    reference = Reference(plain, "none")
    for state in STATES[::97]:
        values = sorted(reference.search(state, 4).values())
        position = Position(GAME, state)
        if len(values) > 1 and values[-1] > values[-2]:
            assert plain.analyse(position).move == drawing.analyse(position).move
    assert len({plain.analyse(GAME.position()).move for _ in range(9)}) == 1


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(GameforgeError, match=r'searcher\.ties = "last": must be'):
        player("ties=last")
