"""Kernels that fit a net by its own gradient, position by position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import CompiledEvaluator
from gameforge_learn_regress.states import States, cross_entropy

Floats = NDArray[np.float32]
_0 = np.uint64(0)
_HALF, _ONE, _LEAST = np.float32(0.5), np.float32(1), np.float32(1 / 1024)


@inline
def _forward(evaluator: CompiledEvaluator, states: States, w: Floats, i: Any) -> Any:
    """Expected result of a position."""
    x = at(evaluator.inputs, _0)
    evaluator.features(at(evaluator.features_data, _0), at(states.states, i * states.words), x)
    score = evaluator.sign * evaluator.forward(at(evaluator.data, _0), at(w, _0), x)
    return np.float32(score) * _HALF + _HALF


@kernel
def net_gradient(
    evaluator: CompiledEvaluator,
    states: States,
    w: Floats,
    first: np.uint64,
    end: np.uint64,
    trace: Floats,
    gradient: Floats,
) -> float:
    """Add the gradient of the loss of positions first to end; return the sum of their losses.

    The loss is the cross-entropy. Its slope is bounded where the net is sure and wrong.
    """
    loss = 0.0
    sign = np.float32(evaluator.sign)
    for i in range(first, end):
        p, y, importance = _forward(evaluator, states, w, i), states.targets[i], states.importance[i]
        loss += np.float64(importance * cross_entropy(p, y))
        held = min(max(p, _LEAST), _ONE - _LEAST)
        slope = sign * importance * _HALF * (p - y) / (held * (_ONE - held))
        for j in range(len(trace)):
            trace[j] = 0
        evaluator.backward(at(evaluator.data, _0), at(w, _0), at(evaluator.inputs, _0), at(trace, _0))
        for j in range(len(trace)):
            gradient[j] += slope * trace[j]
    return loss


@kernel
def net_predict(
    evaluator: CompiledEvaluator, states: States, w: Floats, first: np.uint64, end: np.uint64, predicted: Floats
) -> None:
    """Write the expected results of positions first to end."""
    for i in range(first, end):
        predicted[i] = min(max(_forward(evaluator, states, w, i), np.float32(0)), _ONE)
