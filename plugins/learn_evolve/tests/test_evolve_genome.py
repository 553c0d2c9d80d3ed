"""Mutation that adapts itself, steps between limits, crossover."""

import math

import numpy as np
import pytest
from gameforge_learn_evolve.evolution import Genome, crossed, mutated
from hypothesis import given
from hypothesis import strategies as st

from gameforge.interfaces.evaluator import SteppedWeight, WeightVector

KING = SteppedWeight(place=3, low=1.0, high=3.0, step=0.1)


def genome(n: int, weight: float = 0.0, step: float = 0.05) -> Genome:
    return Genome(np.full(n, weight, np.float32), np.full(n, step, np.float32))


def test_steps_are_log_normal_and_weights_move_by_their_new_steps() -> None:
    """s' = s exp(tau N), w' = w + s' N', tau = 1 / sqrt(2 sqrt(n)); 5,046 weights: tau = 0.0839 ([Chellapilla2001])."""
    n = 5046
    tau = 1 / math.sqrt(2 * math.sqrt(n))
    assert tau == pytest.approx(0.0839, abs=5e-5)
    rng = np.random.default_rng(1)
    parent = genome(n, weight=0.3)
    children = [mutated(parent, WeightVector(n), 1.0, rng) for _ in range(20)]
    change = np.log(np.concatenate([child.steps for child in children]) / 0.05) / tau
    moved = np.concatenate([(child.weights - 0.3) / child.steps for child in children])
    for normal in (change, moved):
        assert normal.mean() == pytest.approx(0, abs=4 / math.sqrt(normal.size))
        assert normal.std() == pytest.approx(1, abs=0.01)
        assert np.abs(normal).max() > 4
    assert abs(np.corrcoef(change, moved)[0, 1]) < 4 / math.sqrt(change.size)
    assert (parent.weights == np.float32(0.3)).all()


def test_each_weight_is_mutated_with_the_probability() -> None:
    child = mutated(genome(100_000), WeightVector(100_000), 0.01, np.random.default_rng(2))
    changed = child.weights != 0
    assert changed.sum() == pytest.approx(1000, abs=4 * math.sqrt(990))
    np.testing.assert_array_equal(changed, child.steps != np.float32(0.05))


def test_tau_counts_free_weights_only_and_padding_stays() -> None:
    vector = WeightVector(10, stepped=(KING,), unused=(7, 8, 9))
    child = mutated(genome(10), vector, 1.0, np.random.default_rng(3))
    other = mutated(genome(6), WeightVector(6), 1.0, np.random.default_rng(3))
    assert child.weights[7:].tolist() == [0, 0, 0]
    assert (child.steps[[3, 7, 8, 9]] == np.float32(0.05)).all()
    assert (np.delete(child.steps, [3, 7, 8, 9]) != np.float32(0.05)).all()
    assert other.steps.std() > 0


def test_a_stepped_weight_goes_down_up_or_stays_with_equal_chance() -> None:
    rng, vector = np.random.default_rng(4), WeightVector(4, stepped=(KING,))
    moves = [round(float(mutated(genome(4, 2.0), vector, 1.0, rng).weights[3]) - 2.0, 4) for _ in range(6000)]
    assert {*moves} == {-0.1, 0.0, 0.1}
    for move in (-0.1, 0.0, 0.1):
        assert moves.count(move) == pytest.approx(2000, abs=150)


def test_stepped_weights_move_in_every_child_if_asked() -> None:
    """With a probability of 0 nothing else moves."""
    vector = WeightVector(4, stepped=(KING,))
    rng = np.random.default_rng(5)
    children = [mutated(genome(4, 2.0), vector, 0.0, rng, always_stepped=True) for _ in range(20)]
    assert {round(float(child.weights[3]), 1) for child in children} == {1.9, 2.0, 2.1}
    assert all((child.weights[:3] == 2.0).all() for child in children)


@given(st.integers(0, 2**32))
def test_a_stepped_weight_never_leaves_its_limits(seed: int) -> None:
    rng, vector = np.random.default_rng(seed), WeightVector(4, stepped=(KING,))
    one = genome(4, float(rng.uniform(1, 3)))
    for _ in range(60):
        one = mutated(one, vector, 1.0, rng)
        assert np.float32(1) <= one.weights[3] <= np.float32(3)


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_crossover_exchanges_weights_and_steps_after_one_place(n: int, seed: int) -> None:
    one, other = crossed(genome(n, 1, 0.1), genome(n, 2, 0.2), np.random.default_rng(seed))
    cut = int((one.weights == 1).sum())
    assert n == 1 or 1 <= cut < n
    np.testing.assert_array_equal(one.weights, np.where(np.arange(n) < cut, 1, 2))
    np.testing.assert_array_equal(other.weights, np.where(np.arange(n) < cut, 2, 1))
    np.testing.assert_array_equal(one.weights == 1, one.steps == np.float32(0.1))
    np.testing.assert_array_equal(other.weights == 1, other.steps == np.float32(0.1))
