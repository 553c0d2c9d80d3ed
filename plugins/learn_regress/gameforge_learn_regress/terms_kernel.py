"""Kernels of sparse logistic regression: positions as the few weights that they use."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import Words

Floats = NDArray[np.float32]
_0, _1 = np.uint64(0), np.uint64(1)
_HALF, _ONE, _LEAST = np.float32(0.5), np.float32(1), np.float32(1e-7)


class Terms(NamedTuple):
    """Positions, each a run of terms; the score is tanh(v / 2) with v the sum of weight[place] * factor."""

    starts: Words
    """[N + 1]: position i has the terms starts[i] to starts[i + 1]."""
    places: NDArray[np.int32]
    factors: Floats
    targets: Floats
    """[N]: the expected result that the score should stand for, 0 to 1."""
    importance: Floats
    """[N]: how many positions each stands for."""


@kernel
def count_terms(
    terms: Any, data: Words, words: np.uint64, states: Words, places: NDArray[np.int32], factors: Floats, counts: Words
) -> None:
    """Write the number of terms of each state; `places` and `factors` are workspace."""
    for i in range(np.uint64(len(counts))):
        counts[i] = terms(at(data, _0), at(states, i * words), at(places, _0), at(factors, _0))


@kernel
def write_terms(
    terms: Any, data: Words, words: np.uint64, states: Words, places: NDArray[np.int32], factors: Floats, found: Terms
) -> None:
    """Write the terms of each state."""
    for i in range(np.uint64(len(found.targets))):
        n = terms(at(data, _0), at(states, i * words), at(places, _0), at(factors, _0))
        start = found.starts[i]
        for k in range(n):
            found.places[start + k] = places[k]
            found.factors[start + k] = factors[k]


@inline
def expected_result(terms: Terms, w: Floats, i: Any) -> Any:
    """1 / (1 + exp(-v)) of a position."""
    v = np.float32(0)
    for k in range(terms.starts[i], terms.starts[i + _1]):
        v += w[terms.places[k]] * terms.factors[k]
    return _ONE / (_ONE + np.exp(-v))


@inline
def cross_entropy(p: Any, y: Any) -> Any:
    """Loss of the prediction p where the truth is y."""
    p = min(max(p, _LEAST), _ONE - _LEAST)
    return -(y * np.log(p) + (_ONE - y) * np.log(_ONE - p))


@kernel
def terms_gradient(terms: Terms, w: Floats, first: np.uint64, end: np.uint64, gradient: Floats) -> float:
    """Add the gradient of the loss of positions first to end; return the sum of their losses."""
    loss = 0.0
    for i in range(first, end):
        p, y, importance = expected_result(terms, w, i), terms.targets[i], terms.importance[i]
        loss += np.float64(importance * cross_entropy(p, y))
        slope = importance * (p - y)
        for k in range(terms.starts[i], terms.starts[i + _1]):
            gradient[terms.places[k]] += slope * terms.factors[k]
    return loss


@kernel
def terms_predict(terms: Terms, w: Floats, first: np.uint64, end: np.uint64, predicted: Floats) -> None:
    """Write the expected results of positions first to end."""
    for i in range(first, end):
        predicted[i] = expected_result(terms, w, i)
