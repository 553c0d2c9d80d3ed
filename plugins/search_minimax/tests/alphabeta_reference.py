"""The reference for `alphabeta`: a recursive search without pruning. It shares no code with the plugin.

`values` calls a game's compiled functions, for millions of nodes. Scores are for the side to move at the root.
"""

from typing import Any

import numba
import numpy as np

from gameforge.kernel import slots
from gameforge.kernel.bits import at
from gameforge.kernel.context import CompiledEvaluator, CompiledOracles, CompiledRules

_0 = np.uint64(0)
_recursive = numba.njit(error_model="numpy")  # not cached: numba 0.68 crashes when it loads recursive functions


@_recursive
def _value(
    rules: CompiledRules, evaluator: CompiledEvaluator, oracle: CompiledOracles, state: Any, ply: int, depth: int
) -> float:
    """Score for the side to move, `ply` plies from the root."""
    moves = np.zeros(rules.max_moves, np.uint64)
    n = rules.gen(at(rules.data, _0), at(state, _0), at(moves, _0))
    result = rules.outcome(at(rules.data, _0), at(state, _0), n) & 3
    if result != 0:
        return 0.0 if result == 3 else (3.0 - ply / 65536) * (1.0 if result == 1 else -1.0)
    result = oracle.probes[0](at(oracle.data[0], _0), at(state, _0), at(oracle.out, _0))
    if result != 0:
        distance = oracle.out[slots.PROBE_DISTANCE]
        win = 1.0 if distance == 0 else 2.0 - (ply + distance - 1.0) / 65536
        return 0.0 if result == 3 else win * (1.0 if result == 1 else -1.0)
    if depth == 0:
        x = at(evaluator.inputs, _0)
        if evaluator.is_net != 0:
            evaluator.features(at(evaluator.features_data, _0), at(state, _0), x)
            value = evaluator.sign * evaluator.forward(at(evaluator.data, _0), at(evaluator.weights, _0), x)
        else:
            value = evaluator.evaluate(at(evaluator.data, _0), at(evaluator.weights, _0), at(state, _0), x)
        limit = 1.0 - 2.0**-20
        return float(np.float32(min(max(value, -limit), limit)))
    best = -4.0
    child = np.zeros(len(state), np.uint64)
    for i in range(n):
        rules.play(at(rules.data, _0), at(state, _0), moves[i], at(child, _0))
        best = max(best, -_value(rules, evaluator, oracle, child, ply + 1, depth - 1))
    return best


@_recursive
def values(
    rules: CompiledRules,
    evaluator: CompiledEvaluator,
    oracle: CompiledOracles,
    state: Any,
    depth: int,
    moves: Any,
    out: Any,
) -> None:
    """Write the value of each of these moves of the root; the root itself is not probed."""
    child = np.zeros(len(state), np.uint64)
    for i in range(len(moves)):
        rules.play(at(rules.data, _0), at(state, _0), moves[i], at(child, _0))
        out[i] = -_value(rules, evaluator, oracle, child, 1, depth - 1)
