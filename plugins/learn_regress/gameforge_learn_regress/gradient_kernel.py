"""Kernels that fit an evaluator by its own gradient, position by position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import CompiledEvaluator
from gameforge.kernel.evaluate import static_score
from gameforge_learn_regress.states import States, cross_entropy

Floats = NDArray[np.float32]
_0 = np.uint64(0)
_HALF, _ONE, _LEAST = np.float32(0.5), np.float32(1), np.float32(1 / 1024)


def no_gradient(ed: Any, w: Any, s: Any, x: Any, trace: Any) -> None:
    """Stand for EvaluatorFunctions.gradient where the evaluator is a net, which has `backward` instead."""
    return


@inline
def _expected_result(evaluator: CompiledEvaluator, s: Any) -> Any:
    return np.float32(static_score(evaluator, s)) * _HALF + _HALF


@kernel
def loss_gradient(
    evaluator: CompiledEvaluator,
    gradient: Any,
    states: States,
    first: np.uint64,
    end: np.uint64,
    trace: Floats,
    total: Floats,
) -> float:
    """Add the gradient of the loss of positions first to end to the total; return the sum of their losses.

    The loss is the cross-entropy. Its slope is bounded where the evaluator is sure and wrong. `trace` and `total` have
    the layout of the evaluator's block of weights; `gradient` is EvaluatorFunctions.gradient, compiled.
    """
    loss = 0.0
    sign = np.float32(evaluator.sign)
    data, w, x = at(evaluator.data, _0), at(evaluator.weights, _0), at(evaluator.inputs, _0)
    for i in range(first, end):
        s = at(states.states, i * states.words)
        p, y, importance = _expected_result(evaluator, s), states.targets[i], states.importance[i]
        loss += np.float64(importance * cross_entropy(p, y))
        held = min(max(p, _LEAST), _ONE - _LEAST)
        slope = sign * importance * _HALF * (p - y) / (held * (_ONE - held))
        for j in range(len(trace)):
            trace[j] = 0
        if evaluator.is_net:
            evaluator.backward(data, w, x, at(trace, _0))
        else:
            gradient(data, w, s, x, at(trace, _0))
        for j in range(len(trace)):
            total[j] += slope * trace[j]
    return loss


@kernel
def predict(evaluator: CompiledEvaluator, states: States, predicted: Floats) -> None:
    """Write the expected result of each position."""
    for i in range(np.uint64(len(predicted))):
        predicted[i] = _expected_result(evaluator, at(states.states, i * states.words))
