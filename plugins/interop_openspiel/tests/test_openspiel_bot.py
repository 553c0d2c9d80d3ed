"""Our players as bots of OpenSpiel, and against its own."""

from typing import Any

import numpy as np
import pytest
from openspiel_games import require_openspiel

import gameforge as gf
from gameforge.errors import GameforgeError

require_openspiel()

import pyspiel  # noqa: E402
from gameforge_interop_openspiel.rules import GameForgeBot  # noqa: E402
from open_spiel.python.algorithms import evaluate_bots, mcts  # noqa: E402


def their_mcts(game: Any) -> Any:
    rng = np.random.RandomState(1)
    return mcts.MCTSBot(game, 2, 5, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)


@pytest.mark.parametrize("ours", [0, 1])
@pytest.mark.parametrize("name", ["connect_four", "checkers(rows=6,columns=6)", "dots_and_boxes"])
def test_a_game_against_the_mcts_of_openspiel(name: str, ours: int) -> None:
    game = pyspiel.load_game(name)
    player = gf.player(gf.game("openspiel", name=name).rules, searcher="uct:simulations=10")
    bots = [their_mcts(game), their_mcts(game)]
    bots[ours] = GameForgeBot(player)
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(1))
    assert sorted(returns) in ([-1, 1], [0, 0])


@pytest.mark.parametrize("ours", [0, 1])
def test_our_own_othello_plays_that_of_openspiel(ours: int) -> None:
    game = pyspiel.load_game("othello")
    bots = [pyspiel.make_uniform_random_bot(side, 1) for side in (0, 1)]
    bots[ours] = GameForgeBot(gf.player("othello", searcher="minimax:depth=1", evaluator="material"))
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(1))
    assert len(returns) == 2


def test_a_game_without_common_moves_is_explained() -> None:
    bot = GameForgeBot(gf.player("morris", searcher="random"))
    with pytest.raises(GameforgeError, match="no legal action"):
        bot.step(pyspiel.load_game("connect_four").new_initial_state())
