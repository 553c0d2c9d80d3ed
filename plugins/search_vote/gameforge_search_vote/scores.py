"""Scores of evaluators for callers in Python, as evaluators that are composed of others need them.

The evaluators may be of different kinds. So each is called from Python through the addresses of its functions, which
takes some microseconds per position, a hundred times as long as a small net takes by itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT
from gameforge.kernel.compile.failures import raise_failure
from gameforge.kernel.compile.functions import Function, failures_of
from gameforge.kernel.context import CompiledEvaluator
from gameforge.play.player import Player

Scores = Callable[[Any, Any], float]
"""Called with a state and workspace; returns the score for the side to move, clipped to inside (-1, 1)."""


@attrs.frozen
class Scorers:
    """The scores of several evaluators."""

    scores: tuple[Scores, ...]
    scratch: int
    """Number of float32 elements of workspace that any of them needs."""


def scorers(evaluators: Sequence[CompiledEvaluator]) -> Scorers:
    """The scores of these evaluators."""
    return Scorers(tuple(map(_score_of, evaluators)), max(len(evaluator.inputs) for evaluator in evaluators))


def evaluator_of(player: Player, component: str) -> CompiledEvaluator:
    """The evaluator of a player, with its weights. Raises GameforgeError, for `component`, if it has none."""
    if player.parts.net is None:
        raise GameforgeError(f"evaluator {component}: {player.name} has no evaluator")
    return player.parts.evaluation_with(player.weights)


def _score_of(evaluator: CompiledEvaluator) -> Scores:
    """`static_score` (gameforge.kernel.evaluate) for callers in Python; writes features to the caller's workspace."""
    compiled = isinstance(evaluator.forward, Function)
    failures = failures_of((evaluator.features, evaluator.forward, evaluator.evaluate))
    features, forward, evaluate = (
        function.python if compiled else function
        for function in (evaluator.features, evaluator.forward, evaluator.evaluate)
    )
    features_data, data, weights = (
        block.ctypes.data if compiled else block
        for block in (evaluator.features_data, evaluator.data, evaluator.weights)
    )

    def score(s: Any, x: Any) -> float:
        if evaluator.is_net:
            features(features_data, s, x)
            found = float(evaluator.sign) * float(forward(data, weights, x))
        else:
            found = float(evaluate(data, weights, s, x))
        raise_failure(failures)  # else a member that failed would score 0
        return min(max(found, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)

    return score
