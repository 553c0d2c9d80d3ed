"""Scores of an evaluator without a search: of one state, of many states, and of a net without each of its inputs."""

import numpy as np

from gameforge.interfaces.evaluator import HEURISTIC_LIMIT
from gameforge.kernel.bits import U0, U1, U2, at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import CompiledEvaluator
from gameforge.kernel.types import FloatArray, Score, ScoreArray, Scores, Word, WordArray, Words


@inline
def static_score(evaluator: CompiledEvaluator, s: Words) -> Score:
    """Heuristic score for the side to move, limited to (-1, 1) so that no estimate outranks a proof."""
    x = at(evaluator.inputs, U0)
    weights = at(evaluator.weights, U0)
    data = at(evaluator.data, U0)
    if evaluator.is_net:
        evaluator.features(at(evaluator.features_data, U0), s, x)
        score: Score = evaluator.sign * evaluator.forward(data, weights, x)
    else:
        score = evaluator.evaluate(data, weights, s, x)
    return _limited(score)


@inline
def _limited(score: Score) -> Score:
    return min(max(score, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)


@inline
def static_scores(evaluator: CompiledEvaluator, words: Word, states: Words, n: Word, scores: Scores) -> None:
    """Write the static scores of n contiguous states, in one call if the evaluator can score many at once."""
    data, weights = at(evaluator.data, U0), at(evaluator.weights, U0)
    if evaluator.has_values:
        evaluator.values(data, weights, states, n, scores)
        for i in range(n):
            scores[i] = _limited(scores[i])
    elif evaluator.is_net:
        # Two states at a time, in rows of their own: the processor begins with the second net before the first is done.
        row = np.uint64(len(evaluator.inputs)) >> U1
        for i in range(U0, n, U2):
            rows = min(n - i, U2)
            for j in range(rows):
                x = at(evaluator.inputs, j * row)
                evaluator.features(at(evaluator.features_data, U0), at(states, (i + j) * words), x)
            for j in range(rows):
                x = at(evaluator.inputs, j * row)
                scores[i + j] = _limited(evaluator.sign * evaluator.forward(data, weights, x))
    else:
        for i in range(n):
            scores[i] = static_score(evaluator, at(states, i * words))


@kernel
def score_states(evaluator: CompiledEvaluator, words: np.uint64, states: WordArray, scores: ScoreArray) -> None:
    """Write the static scores of len(scores) contiguous states."""
    static_scores(evaluator, words, at(states, U0), np.uint64(len(scores)), at(scores, U0))


@kernel
def score_without_inputs(
    evaluator: CompiledEvaluator, state: WordArray, values: FloatArray, scores: ScoreArray
) -> None:
    """Write the inputs of a net to `values`, its score to scores[0], and that with input i set to 0 to scores[1 + i].

    Scores are for the side to move.
    """
    x, weights = at(evaluator.inputs, U0), at(evaluator.weights, U0)
    for i in range(len(scores)):
        evaluator.features(at(evaluator.features_data, U0), at(state, U0), x)
        if i == 0:
            for j in range(len(values)):
                values[j] = x[j]
        else:
            x[i - 1] = 0
        scores[i] = evaluator.sign * evaluator.forward(at(evaluator.data, U0), weights, x)
