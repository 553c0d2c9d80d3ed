"""What a searcher asks of a context: the static score of a state, and what the oracles know."""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import HEURISTIC_LIMIT
from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import HITS, PROBES, CompiledEvaluator, Context, Words

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def static_score(evaluator: CompiledEvaluator, s: Any) -> Any:
    """Heuristic score for the side to move, held inside (-1, 1) so that no guess outranks a proof."""
    x = at(evaluator.inputs, _0)
    weights = at(evaluator.weights, _0)
    data = at(evaluator.data, _0)
    if evaluator.is_net:
        evaluator.features(at(evaluator.features_data, _0), s, x)
        score = evaluator.sign * evaluator.forward(data, weights, x)
    else:
        score = evaluator.evaluate(data, weights, s, x)
    return min(max(score, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)


@inline
def ask_oracles(context: Context, s: Any) -> Any:
    """What the first oracle that knows says for the side to move, else UNKNOWN; distances in oracle.out."""
    oracle = context.oracle
    oracle.out[_1] = _0
    context.control[PROBES] += 1
    for i in range(oracle.size):
        status = oracle.probes[i](at(oracle.data[i], _0), s, at(oracle.out, _0))
        if status != UNKNOWN:
            context.control[HITS] += 1
            return status
    return UNKNOWN


@inline
def ask_gated(context: Context, s: Any, static: Any) -> Any:
    """As ask_oracles, of the oracles behind a gate; `static` is the state's static_score."""
    oracle = context.oracle
    if not oracle.low < abs(static) < oracle.high:
        return UNKNOWN
    oracle.out[_1] = _0
    context.control[PROBES] += 1
    for i in range(oracle.size, oracle.size + oracle.gated):
        status = oracle.probes[i](at(oracle.data[i], _0), s, at(oracle.out, _0))
        if status != UNKNOWN:
            context.control[HITS] += 1
            return status
    return UNKNOWN


@inline
def static_scores(evaluator: CompiledEvaluator, words: Any, states: Any, n: Any, scores: Any) -> None:
    """static_score of n states that lie one behind the other; in one call, if the evaluator takes many at once."""
    if evaluator.has_values:
        evaluator.values(at(evaluator.data, _0), at(evaluator.weights, _0), states, n, scores)
        for i in range(n):
            scores[i] = min(max(scores[i], -HEURISTIC_LIMIT), HEURISTIC_LIMIT)
    else:
        for i in range(n):
            scores[i] = static_score(evaluator, at(states, i * words))


@kernel
def score_states(evaluator: CompiledEvaluator, words: np.uint64, states: Words, scores: Any) -> None:
    """Static scores of len(scores) states that lie one behind the other."""
    static_scores(evaluator, words, at(states, _0), np.uint64(len(scores)), at(scores, _0))
