"""Two references for `minimax`: the recursive algorithm of [Neto2009], section 5.4.2, without pruning.

They have max and min nodes, as printed, and are written from the paper with the corrections of the README, without the
plugin's code. `minimax` is plain Python over a Game; `root_values` calls its compiled functions, for millions of nodes.
Values are for the side to move at the root, the max player.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from gameforge.interfaces.evaluator import HEURISTIC_LIMIT
from gameforge.interfaces.rules import State
from gameforge.kernel.bits import at
from gameforge.kernel.context import CompiledEvaluator, CompiledOracles, CompiledRules
from gameforge.play.game import Game

WIN, LOSS = 1, 2
_0 = np.uint64(0)
_recursive = numba.njit(error_model="numpy")  # not cached: numba 0.68 crashes when it loads recursive functions


def minimax(
    game: Game,
    state: State,
    depth: int,
    evaluate: Callable[[State], float],
    look_up: Callable[[State], int] = lambda state: 0,
    *,
    is_root: bool = True,
    is_max: bool = True,
) -> tuple[float, int | None]:
    """Search a state; returns (value, move). `evaluate` scores for the side to move; `look_up` is a probe."""
    legal = game.legal(state)
    result = game.code(state, len(legal)) & 3
    if not result and not is_root:
        result = look_up(state)
    if result == WIN:
        return (1.0 if is_max else -1.0), None
    if result == LOSS:
        return (-1.0 if is_max else 1.0), None
    if result:
        return 0.0, None
    if depth == 0:
        value = min(max(evaluate(state), -HEURISTIC_LIMIT), HEURISTIC_LIMIT)
        return (value if is_max else -value), None
    best, thebest = -math.inf if is_max else math.inf, None
    for move in legal:
        child = game.play(state, move)
        v, _ = minimax(game, child, depth - 1, evaluate, look_up, is_root=False, is_max=not is_max)
        if (is_max and v > best) or (not is_max and v < best):
            best, thebest = v, move
    return best, thebest


@_recursive
def _below_root(
    rules: CompiledRules, evaluator: CompiledEvaluator, oracle: CompiledOracles, state: Any, depth: int, is_max: bool
) -> float:
    """Value of a node; only the first oracle is consulted."""
    moves = np.zeros(rules.max_moves, np.uint64)
    n = rules.gen(at(rules.data, _0), at(state, _0), at(moves, _0))
    result = rules.outcome(at(rules.data, _0), at(state, _0), n) & 3
    if result == 0:
        result = oracle.probes[0](at(oracle.data[0], _0), at(state, _0), at(oracle.out, _0))
    if result == WIN:
        return 1.0 if is_max else -1.0
    if result == LOSS:
        return -1.0 if is_max else 1.0
    if result != 0:
        return 0.0
    if depth == 0:
        x = at(evaluator.inputs, _0)
        if evaluator.is_net != 0:
            evaluator.features(at(evaluator.features_data, _0), at(state, _0), x)
            value = evaluator.sign * evaluator.forward(at(evaluator.data, _0), at(evaluator.weights, _0), x)
        else:
            value = evaluator.evaluate(at(evaluator.data, _0), at(evaluator.weights, _0), at(state, _0), x)
        value = min(max(value, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)
        return value if is_max else -value
    best = -np.inf if is_max else np.inf
    child = np.zeros(len(state), np.uint64)
    for i in range(n):
        rules.play(at(rules.data, _0), at(state, _0), moves[i], at(child, _0))
        v = _below_root(rules, evaluator, oracle, child, depth - 1, not is_max)
        if (is_max and v > best) or (not is_max and v < best):
            best = v
    return best


@_recursive
def root_values(
    rules: CompiledRules,
    evaluator: CompiledEvaluator,
    oracle: CompiledOracles,
    state: Any,
    depth: int,
    moves: Any,
    values: Any,
) -> None:
    """Write the value of each of these moves of the root; the root itself is not probed."""
    child = np.zeros(len(state), np.uint64)
    for i in range(len(moves)):
        rules.play(at(rules.data, _0), at(state, _0), moves[i], at(child, _0))
        values[i] = _below_root(rules, evaluator, oracle, child, depth - 1, False)
