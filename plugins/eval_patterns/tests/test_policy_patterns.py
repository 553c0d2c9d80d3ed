"""Patterns with two heads: their contract, value and logits by the weights of `patterns`, a short training."""

from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_eval_patterns.policy import PolicyPatterns
from pattern_players import GAMES, Scorer, states
from policies import score_and_logits
from reported import train

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import RulesFunctions
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.play.game import Game
from gameforge.testing import check
from gameforge.testing.toy import Pile
from gameforge.testing.uncompiled import uncompiled

PARAMETERS: list[tuple[str, dict[str, Any]]] = [
    ("draughts", {"patterns": "lines 3", "codes": ("own man", "other man")}),
    ("othello", {}),
    ("morris", {"phases": (9,)}),
]


@pytest.mark.parametrize("game", [Game(Pile()), GAMES["draughts"]], ids=["pile", "draughts"])
def test_it_keeps_the_contract(game: Game) -> None:
    passed = check("evaluator", PolicyPatterns(), game=game).require().named("passed")
    assert {"slope is that of score and logits", "gradient is the slope of evaluate"} <= set(passed)


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS)
def test_the_heads_are_two_players_with_patterns(name: str, parameters: dict[str, Any]) -> None:
    """The value is the score of `patterns`; a logit is the sum of other weights, for the position after the move."""
    game = GAMES[name]
    value, after = Scorer(game.rules, seed=1, **parameters), Scorer(game.rules, seed=2, **parameters)
    weights = np.concatenate([value.weights, after.weights])
    functions = compiled_evaluator(PolicyPatterns(**parameters).functions(game.rules, None), weights)
    for state in states(game, 20):
        score, logits = score_and_logits(functions, weights, game, state)
        assert score == pytest.approx(value.score(state), abs=1e-6)
        assert logits == pytest.approx([after.sum_of_terms(game.play(state, m)) for m in game.legal(state)], abs=1e-4)


def test_uncompiled_functions_agree() -> None:
    game = GAMES["morris"]
    kernel = uncompiled("gameforge_eval_patterns.policy")
    functions = PolicyPatterns().functions(game.rules, None)
    assert functions.vector is not None
    weights = np.random.default_rng(1).normal(0, 0.2, functions.vector.length).astype(np.float32)
    plain = kernel.PolicyPatterns().functions(uncompiled("gameforge_morris.rules").Morris(), None)
    compiled = compiled_evaluator(functions, weights)
    with np.errstate(over="ignore"):
        for state in states(game, 3):
            assert score_and_logits(plain, weights, game, state) == score_and_logits(compiled, weights, game, state)


def test_a_short_training_teaches_it_more_than_random_moves() -> None:
    pipeline = gf.Pipeline(
        game="othello",
        searcher="puct:simulations=20,select=gumbel",
        evaluator="policy-patterns:patterns=lines 4,phases=[20,44]",
        learner="gumbel:generations=3,games=100,rate=0.02",
    )
    player = gf.Player(pipeline.parts(), train(pipeline).trained.weights)
    assert gf.match(player, "random", 40).score > 0.8


class Called(Pile):
    """The pile with rules that run as plain Python."""

    def functions(self) -> RulesFunctions:
        return attrs.evolve(super().functions(), compiled=False)


def test_rules_that_do_not_compile_are_refused() -> None:
    with pytest.raises(GameforgeError, match="policy-patterns plays each move to score it; the rules of pile do not"):
        PolicyPatterns().functions(Called(), None)
