"""What the tests of `ties=random` demand of every searcher."""

import collections
from collections.abc import Callable, Iterable, Mapping

from toy_games import Noughts

from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

GAME = Game(Noughts())


def require_all_best_moves(
    drawing: Player, states: Iterable[State], values: Callable[[State], Mapping[int, float]]
) -> None:
    """Assert that over many seeds the player plays all best moves of each state, and no others.

    values: the value of each move of a state, for the side to move.
    """
    tied = 0
    for state in states:
        expected = values(state)
        best = {move for move, value in expected.items() if value == max(expected.values())}
        found = set()
        for seed in range(12 * len(best) if len(best) > 1 else 2):
            drawing.reseed(seed)
            answer = drawing.analyse(Position(GAME, state))
            assert answer.score == max(expected.values())
            assert answer.line[0] == answer.move
            found.add(answer.move.code)
        assert found == best, state
        tied += len(best) > 1
    assert tied >= 2


def require_equal_chances(drawing: Player) -> None:
    """Assert that all nine moves of the initial position are played about as often: they are equal to the end."""
    counts = collections.Counter(drawing.analyse(GAME.position()).move.code for _ in range(450))
    assert len(counts) == 9
    assert min(counts.values()) > 23  # 50 are expected; fewer than 24 occur less than once in 10,000 runs


def require_repeatable(drawing: Player) -> None:
    """Assert that the seed decides which moves are played in the initial position."""
    drawing.reseed(5)
    first = [drawing.analyse(GAME.position()).move for _ in range(5)]
    drawing.reseed(5)
    assert first == [drawing.analyse(GAME.position()).move for _ in range(5)]
