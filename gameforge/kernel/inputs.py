"""The inputs of a net, and its score without each of them."""

from typing import Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.context import CompiledEvaluator, Words

_0 = np.uint64(0)


@kernel
def score_without_inputs(evaluator: CompiledEvaluator, state: Words, values: Any, scores: Any) -> None:
    """Write the inputs of a net to `values`, its score to scores[0], and that with input i set to 0 to scores[1 + i].

    Scores are for the side to move.
    """
    x, weights = at(evaluator.inputs, _0), at(evaluator.weights, _0)
    for i in range(len(scores)):
        evaluator.features(at(evaluator.features_data, _0), at(state, _0), x)
        if i == 0:
            for j in range(len(values)):
                values[j] = x[j]
        else:
            x[i - 1] = 0
        scores[i] = evaluator.sign * evaluator.forward(at(evaluator.data, _0), weights, x)
