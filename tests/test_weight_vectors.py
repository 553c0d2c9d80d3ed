"""Evaluators that are not nets but have weights that learners set."""

import functools
from typing import Any

import numpy as np
import pytest
import toy_game
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions, SteppedWeight, WeightVector
from gameforge.play.parts import Parts
from gameforge.play.player import Player
from gameforge.testing import check


def lead(ed: Any, w: Any, s: Any, x: Any) -> Any:
    """Score with w: the weight of a cell, then that of a stone."""
    return w[0] * (np.float64(s[0]) - np.float64(s[1])) + w[1] * np.float64(s[2])


def tenths(weights: Any) -> Any:
    return np.append(weights[1] / 10, weights[0] / 10).astype(np.float32)


class Lead:
    """Learners see the weight of a stone first, ten times what the kernel reads."""

    def functions(self, rules: Any, features: Any) -> EvaluatorFunctions:
        stone = SteppedWeight(place=0, low=0.0, high=1.0, step=0.25)
        return EvaluatorFunctions(evaluate=lead, vector=WeightVector(2, tenths, (stone,)))

    def initial_weights(self, net: EvaluatorFunctions, rng: np.random.Generator) -> Any:
        assert net.vector is not None
        return rng.uniform(0, 1, net.vector.length).astype(np.float32)


class OneTooMany(Lead):
    def initial_weights(self, net: EvaluatorFunctions, rng: np.random.Generator) -> Any:
        return rng.uniform(0, 1, 3).astype(np.float32)


STATE = np.array([[3, 1, 5, 0, 0]], np.uint64)


@functools.cache
def led() -> Parts:
    return Parts(shuttle(), toy_game.Greedy(), Lead())


def test_kernels_read_what_is_unpacked() -> None:
    player = Player(led(), np.array([0.25, 1.0], np.float32))
    assert player.values(STATE) == pytest.approx([0.1 * 2 + 0.025 * 5])
    player = Player(led(), np.array([0.0, 0.5], np.float32))
    assert player.values(STATE) == pytest.approx([0.05 * 2])


def test_the_gradient_of_the_vector_is_made_from_that_of_the_block() -> None:
    vector = WeightVector(2, tenths, unpack_backward=lambda weights, gradient: gradient[::-1] / 10)
    found = vector.gradient(np.zeros(2, np.float32), np.array([1, 2], np.float32))
    assert found == pytest.approx([0.2, 0.1])


def test_a_gradient_that_cannot_reach_the_vector_is_refused() -> None:
    with pytest.raises(GameforgeError, match="gradient is offered, but its weight vector has unpack without unpack_b"):
        EvaluatorFunctions(evaluate=lead, gradient=lead, vector=WeightVector(2, tenths))


def test_parts_tell_the_vector_and_draw_from_it() -> None:
    vector, component = led().tunable()
    assert (vector.length, vector.stepped[0].place) == (2, 0)
    assert isinstance(component, Lead)
    drawn = led().initial_weights(np.random.default_rng(4))
    assert drawn.tobytes() == led().initial_weights(np.random.default_rng(4)).tobytes()


def test_a_player_without_given_weights_has_fresh_ones() -> None:
    first, again, other = (
        gf.player(shuttle(), searcher=toy_game.Greedy(), evaluator=Lead(), seed=seed) for seed in (1, 1, 2)
    )
    assert first.weights is not None
    assert again.weights is not None
    assert other.weights is not None
    assert first.weights.tobytes() == again.weights.tobytes() != other.weights.tobytes()
    position = shuttle(stones=9).position()
    assert first.analyse(position) == again.analyse(position)


def test_all_weights_of_a_net_are_free_and_read_as_they_are() -> None:
    parts = gf.Pipeline(
        game="shuttle", searcher="greedy", evaluator="linear", features="lanes", registry=registry()
    ).parts()
    assert isinstance(parts.net, NetFunctions)
    assert parts.vector == WeightVector(parts.net.weights)
    weights = parts.initial_weights(np.random.default_rng(1))
    assert parts.net.vector.block(weights) is weights


def test_some_learners_want_a_net() -> None:
    with pytest.raises(GameforgeError, match="Lead has weights but is not a net, which this learner needs; choose a"):
        led().trainable()
    with pytest.raises(GameforgeError, match="nothing to train: no evaluator is named"):
        Parts(shuttle(), toy_game.Greedy(), None).tunable()


@pytest.mark.parametrize("weights", [None, np.zeros(3, np.float32)])
def test_another_number_of_weights_is_refused(weights: Any) -> None:
    with pytest.raises(GameforgeError, match=r"player x: got [03] weights, but its evaluator has 2"):
        Player(led(), weights, "x")


def test_the_contract_kit_looks_at_the_vector() -> None:
    check("evaluator", Lead(), game=shuttle()).require()
    told = str(check("evaluator", OneTooMany(), game=shuttle()))
    assert "initial_weights() did not return an array of 2 float32" in told
