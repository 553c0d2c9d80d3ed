"""Evaluators that score many states at once get the leaves of a node together, and the search finds the same."""

from typing import Any

import attrs
import numpy as np
import pytest

import gameforge as gf
from gameforge.interfaces import EvaluatorFunctions

SEARCHERS = (
    "minimax:depth=1",
    "minimax:depth=4,ties=random",
    "alphabeta:depth=1",
    "alphabeta:depth=5,memory=1",
    "alphabeta:nodes=1500,selective=true,memory=1",
)


def scattered(states: Any) -> Any:
    """Any scores, which depend on all of the position."""
    h = np.zeros(len(states), np.uint64)
    for word in states.T:
        h = (h ^ word) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    return (h >> np.uint64(40)).astype(np.float64) / 2**23 - 1.0


class Together:
    """Counts calls and states, and remembers the states."""

    def __init__(self) -> None:
        self.calls = 0
        self.states: list[tuple[int, ...]] = []

    def values(self, states: Any) -> Any:
        self.calls += 1
        self.states += map(tuple, states.tolist())
        return scattered(states)


class OneByOne:
    def functions(self, rules: Any, features: Any) -> EvaluatorFunctions:
        words = len(rules.initial())

        def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
            return float(scattered(np.array([[s[i] for i in range(words)]], np.uint64))[0])

        return EvaluatorFunctions(evaluate=evaluate, compiled=False)


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("game", ["draughts", "othello"])
def test_the_search_finds_the_same_in_fewer_calls(game: str, searcher: str) -> None:
    together = Together()
    one = gf.player(game, searcher=searcher, evaluator=together)
    other = gf.player(game, searcher=searcher, evaluator=OneByOne())
    position = one.game.position()
    for _ in range(8):
        found, alone = one.analyse(position), other.analyse(position)
        if searcher.startswith("minimax"):  # the table holds other leaves, which take the places of other nodes
            alone = attrs.evolve(alone, nodes=found.nodes)
        assert alone == found
        position = position.play(found.move)
    assert len(together.states) > 1.5 * together.calls


def test_finished_games_are_not_scored() -> None:
    """An evaluator may rely on there being moves."""
    game = gf.game("othello")
    position = game.position()
    rng = np.random.default_rng(4)
    while len(position.moves_played) < 52:
        position = position.after(int(rng.choice(position.codes)))
    for searcher in ("minimax:depth=5", "alphabeta:depth=5"):
        evaluator = Together()
        gf.player(game, searcher=searcher, evaluator=evaluator).analyse(position)
        assert evaluator.states
        assert all(game.code(state, len(game.legal(state))) == 0 for state in evaluator.states)


@pytest.mark.parametrize("searcher", ["minimax:depth=3", "alphabeta:depth=3"])
def test_what_the_evaluator_raises_is_raised(searcher: str) -> None:
    class Failing:
        def values(self, states: Any) -> Any:
            raise LookupError("the model is gone")

    player = gf.player("draughts", searcher=searcher, evaluator=Failing())
    with pytest.raises(gf.GameforgeError, match="the model is gone"):
        player.analyse(player.game.position())
