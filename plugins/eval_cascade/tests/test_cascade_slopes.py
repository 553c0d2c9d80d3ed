"""The slopes that the learner goes by are those of finite differences, for outputs and for candidates."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from cascade_toys import FUNCTIONS
from gameforge_eval_cascade import candidates, outputs
from gameforge_eval_cascade.cascade import ACTIVATIONS
from gameforge_eval_cascade.descent import CHUNK, Crew, Rows, rows

EXAMPLES, INPUTS, UNITS = CHUNK + 300, 6, 3


@pytest.fixture(scope="module")
def examples() -> Rows:
    rng = np.random.default_rng(2)
    x = (rng.random((EXAMPLES, INPUTS)) < 0.4) * rng.uniform(-1, 1, (EXAMPLES, INPUTS))
    made = rows(x.astype(np.float32), rng.uniform(-1, 1, EXAMPLES).astype(np.float32), 8)
    made.given[:, :UNITS] = rng.uniform(-1, 1, (EXAMPLES, UNITS))
    return made


def dense(examples: Rows) -> Any:
    """[N, inputs + 1 + units] in float64."""
    x = np.zeros((EXAMPLES, INPUTS + 1 + UNITS))
    for i in range(EXAMPLES):
        here = slice(int(examples.starts[i]), int(examples.starts[i + 1]))
        x[i, examples.places[here]] = examples.values[here]
    x[:, INPUTS] = 1
    x[:, INPUTS + 1 :] = examples.given[:, :UNITS]
    return x


def through(examples: Rows, work: Any, *arguments: Any) -> None:
    with ThreadPoolExecutor(2) as threads:
        Crew(threads, 2).go_through(examples, work, np.uint64(UNITS), *arguments)


@pytest.mark.parametrize("tanh_error", [False, True], ids=["linear", "tanh"])
def test_outputs(examples: Rows, tanh_error: bool) -> None:
    """Linear: of half the sum of squares of (target - output) / 2, twice; tanh: each with its error function."""
    x, w = dense(examples), np.random.default_rng(3).uniform(-0.5, 0.5, INPUTS + 1 + UNITS).astype(np.float32)
    sums = outputs.sums_of(examples, len(w))
    through(examples, outputs.pass_through, w, sums, True, tanh_error)
    given = np.tanh(x @ w)
    half = (examples.targets - given) / 2
    np.testing.assert_allclose(sums.outputs, given, atol=1e-5)
    assert sums.mse() == pytest.approx(np.mean(half**2), rel=1e-5)
    errors = np.log((1 + half) / (1 - half)) if tanh_error else half
    expected = -(errors * (1 - given**2)) @ x
    found = sums.slopes.sum(0, dtype=np.float64)
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())
    if not tanh_error:
        step = np.zeros_like(w)
        for i in range(len(w)):
            step[i] = 1e-3
            ends = [np.sum((examples.targets - np.tanh(x @ (w + s * step))) ** 2) / 4 for s in (1, -1)]
            assert found[i] == pytest.approx((ends[0] - ends[1]) / 2e-3, abs=1e-3 * np.abs(expected).max())
            step[i] = 0


@pytest.mark.parametrize("kind", ["linear", "tanh"])
def test_errors_for_candidates(kind: Any) -> None:
    """Half the difference, or by FANN's sources the error that trains the output, with two limits."""
    targets = np.array([0.5, -1, 1, 1, -1], np.float32)
    given = np.array([0.2, 0.3, -0.99, -1, 1], np.float32)
    half = (targets - given) / 2
    plain = outputs.errors_for_candidates(targets, given, "difference", kind)
    assert np.array_equal(plain, half)
    errors = np.array([*np.log((1 + half[:3]) / (1 - half[:3])), 17, -17]) if kind == "tanh" else half
    found = outputs.errors_for_candidates(targets, given, "output", kind)
    np.testing.assert_allclose(found, errors * (1 - np.array([0.2, 0.3, 0.98, 0.98, 0.98]) ** 2), rtol=1e-5)


@pytest.mark.parametrize("by_covariance", [False, True], ids=["cascade2", "correlation"])
def test_candidates(examples: Rows, by_covariance: bool) -> None:
    """Of all activation functions and steepnesses; cascade2 descends on half the sum of squares that remain."""
    pool = candidates.pool(ACTIVATIONS, (0.25, 1.0, 0.5), 3)
    assert pool.real.sum() == 90
    assert pool.size == 10 * 16
    rng = np.random.default_rng(5)
    w = candidates.drawn(pool, INPUTS, UNITS, rng)
    errors = rng.uniform(-0.5, 0.5, EXAMPLES).astype(np.float32)
    errors -= errors.mean(dtype=np.float64).astype(np.float32)
    sums = candidates.sums_of(examples, pool, INPUTS + 1 + UNITS)
    through(examples, candidates.pass_through, w.reshape(-1), pool, errors, by_covariance, sums)
    scores, slopes = candidates.total(sums.scores, (pool.size,)), candidates.total(sums.slopes, w.shape)
    x = dense(examples)

    def score(candidate: int, weights: Any) -> float:
        name = ACTIVATIONS[int(pool.codes[candidate // 8])]
        y = FUNCTIONS[name](x @ weights[:-1] * float(pool.steepness[candidate]))
        if by_covariance:
            return float((y - y.mean()) @ (errors - errors.mean(dtype=np.float64)))
        return float(-np.sum((errors - y * weights[-1]) ** 2) / 2)

    for candidate in np.flatnonzero(pool.real)[::7]:
        weights = w[:, candidate].astype(np.float64)
        expected = score(candidate, weights)
        assert (scores[candidate] if by_covariance else -scores[candidate] / 2) == pytest.approx(expected, abs=2e-2)
        for i in range(len(weights) - by_covariance):
            ends = []
            for step in (1e-5, -1e-5):
                moved = weights.copy()
                moved[i] += step
                ends.append(score(candidate, moved))
            assert slopes[i, candidate] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=2e-2), (candidate, i)


def test_first_weights_are_drawn_as_fann_draws_them() -> None:
    pool = candidates.pool(("tanh",), (1.0,), 256)
    for units, scale in ((0, 0.5), (5, 2 * 3.5 ** (1 / 6))):
        w = candidates.drawn(pool, 6, units, np.random.default_rng(1))
        others = np.delete(w, 6, 0)
        assert 0 <= others.min() < 0.02 * scale
        assert 0.97 * scale < others.max() <= scale
        assert w[6].min() < -0.9 * scale
        assert w[6].max() > 0.9 * scale
