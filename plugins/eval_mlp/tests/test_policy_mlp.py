"""The net with two heads: its contract, its formula, its rows for moves, weights and errors."""

from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_eval_mlp.policy import PolicyMlp
from gameforge_eval_mlp.reading import turn_of
from policies import score_and_logits

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.play.game import Game
from gameforge.testing import check
from gameforge.testing.toy import Greedy, Pile, Theory
from gameforge.testing.uncompiled import uncompiled


class Unnumbered(Pile):
    """The pile without indices of moves, so that a move is the cells that it empties."""

    moves = None  # type: ignore[assignment]


class Bare(Pile):
    """The pile without cells: inputs are the bits of the state."""

    cells = None


@pytest.mark.parametrize("rules", [Pile(), Unnumbered(), Bare()], ids=["numbered", "by cells", "by bits"])
def test_it_keeps_the_contract(rules: Any) -> None:
    """Among the rest: logits are finite, and the gradients of both heads are those of finite differences."""
    for component in (PolicyMlp(hidden=8, second=8), PolicyMlp(hidden=40, second=0)):
        passed = check("evaluator", component, game=Game(rules)).require().named("passed")
        assert {"slope is that of score and logits", "gradient is the slope of evaluate"} <= set(passed)


def heads(component: PolicyMlp, weights: Any, x: Any, rows: list[list[int]]) -> tuple[float, list[float]]:
    """The formula of the module's docstring, in float64."""
    rest = weights.astype(np.float64)
    h = np.asarray(x, np.float64)
    for units in (component.hidden, component.second):
        if units:
            layer, rest = np.split(rest, [(len(h) + 1) * units])
            h = np.maximum(np.append(h, 1.0) @ layer.reshape(-1, units), 0.0)
    value, rest = np.split(rest, [len(h) + 1])
    table = rest[: len(rest) // (len(h) + 1) * len(h)].reshape(-1, len(h))
    logits = table @ h + rest[table.size :]
    return float(np.tanh(value @ np.append(h, 1.0))), [float(logits[mine].sum()) for mine in rows]


@pytest.mark.parametrize("second", [0, 8])
@pytest.mark.parametrize("rules", [Pile, Unnumbered])
def test_heads_follow_the_formula(rules: Any, second: int) -> None:
    """Five stones of twelve: five bits are set, and a move that takes n has index n - 1, or empties n cells."""
    component, game = PolicyMlp(hidden=40, second=second), Game(rules())
    functions = component.functions(game.rules, None)
    assert functions.vector is not None
    weights = np.random.default_rng(1).normal(0, 0.5, functions.vector.length).astype(np.float32)
    rows = [[0], [1], [2]] if rules is Pile else [[4], [3, 4], [2, 3, 4]]
    value, logits = heads(component, weights, [1] * 5 + [0] * 7, rows)
    plain = uncompiled("gameforge_eval_mlp.policy").PolicyMlp(hidden=40, second=second).functions(game.rules, None)
    for function in compiled_evaluator(functions, weights), plain:
        found = score_and_logits(function, weights, game, (5, 0))
        assert found[0] == pytest.approx(value, abs=1e-5)
        assert found[1] == pytest.approx(logits, abs=1e-4)


def test_an_untrained_policy_makes_all_moves_equally_likely() -> None:
    game = Game(Pile())
    component = PolicyMlp()
    functions = component.functions(game.rules, None)
    weights = component.initial_weights(functions, np.random.default_rng(1))
    assert set(score_and_logits(compiled_evaluator(functions, weights), weights, game, (5, 0))[1]) == {0.0}


def test_an_analysis_has_the_policy_of_the_player() -> None:
    """The probabilities are the softmax of the logits; a player without a policy has none."""
    component, game = PolicyMlp(hidden=8, second=8), Game(Pile())
    functions = component.functions(game.rules, None)
    assert functions.vector is not None
    weights = np.random.default_rng(1).normal(0, 0.5, functions.vector.length).astype(np.float32)
    pipeline = gf.Pipeline(game=game, searcher=Greedy(), evaluator=component)
    player, position = gf.Player(pipeline.parts(), weights), game.position()
    logits = np.array(score_and_logits(compiled_evaluator(functions, weights), weights, game, position.state)[1])
    expected = np.exp(logits) / np.exp(logits).sum()
    assert player.policy(position) == pytest.approx(expected)
    ranked = {one.move.code: one.policy for one in gf.candidates(player, position)}
    assert tuple(ranked[code] for code in position.codes) == player.policy(position)
    plain = gf.Pipeline(game=game, searcher=Greedy(), evaluator=Theory())
    assert gf.Player(plain.parts()).policy(position) is None


def test_it_sees_how_the_board_turns() -> None:
    """In draughts each side sees the board from its own end; in the toy game it never turns."""
    draughts = gf.game("draughts").rules
    assert turn_of(draughts, capability(draughts, "cells")) == tuple(range(31, -1, -1))
    assert turn_of(Pile(), Pile().cells) == tuple(range(12))


class Nothing(Bare):
    """A game with neither cells nor indices of moves."""

    moves = None


def test_wrong_settings_are_named() -> None:
    with pytest.raises(GameforgeError, match="moves of pile cannot be numbered"):
        PolicyMlp().functions(Nothing(), None)
    many = attrs.evolve(Pile.moves, size=20_000)
    rules = type("Many", (Pile,), {"moves": many})()
    with pytest.raises(GameforgeError, match="numbers its moves from 0 to 19,999; at most 16,384"):
        PolicyMlp().functions(rules, None)
    with pytest.raises(GameforgeError, match="must be a multiple of 8"):
        gf.player("draughts", searcher="puct:simulations=2", evaluator="policy-mlp:hidden=12")
