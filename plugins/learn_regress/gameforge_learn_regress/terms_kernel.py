"""Kernels of sparse logistic regression: a position is the few weights that it uses.

The terms of a position are computed again in each epoch. That costs little beside the weights, which lie all over
memory, and a position takes 32 bytes instead of the 700 of its terms.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import Words
from gameforge_learn_regress.states import States, cross_entropy

Floats = NDArray[np.float32]
_0, _ONE = np.uint64(0), np.float32(1)


class Terms(NamedTuple):
    """An evaluator's terms, with workspace for those of one position.

    The score is tanh(v / 2) with v the sum of weight[place] * factor.
    """

    write: Any
    """EvaluatorFunctions.terms, compiled."""
    data: Words
    places: NDArray[np.int32]
    factors: Floats


@inline
def _expected_result(terms: Terms, w: Floats, n: Any) -> Any:
    """1 / (1 + exp(-v)) of the n terms in the workspace."""
    v = np.float32(0)
    for k in range(n):
        v += w[terms.places[k]] * terms.factors[k]
    return _ONE / (_ONE + np.exp(-v))


@inline
def _write(terms: Terms, states: States, i: Any) -> Any:
    """Write the terms of a position into the workspace; returns their number."""
    state = at(states.states, i * states.words)
    return np.uint64(terms.write(at(terms.data, _0), state, at(terms.places, _0), at(terms.factors, _0)))


@kernel
def terms_gradient(
    terms: Terms, states: States, w: Floats, first: np.uint64, end: np.uint64, gradient: Floats
) -> float:
    """Add the gradient of the loss of positions first to end; return the sum of their losses."""
    loss = 0.0
    for i in range(first, end):
        n = _write(terms, states, i)
        p, y, importance = _expected_result(terms, w, n), states.targets[i], states.importance[i]
        loss += np.float64(importance * cross_entropy(p, y))
        slope = importance * (p - y)
        for k in range(n):
            gradient[terms.places[k]] += slope * terms.factors[k]
    return loss


@kernel
def terms_predict(terms: Terms, states: States, w: Floats, first: np.uint64, end: np.uint64, predicted: Floats) -> None:
    """Write the expected results of positions first to end."""
    for i in range(first, end):
        predicted[i] = _expected_result(terms, w, _write(terms, states, i))
