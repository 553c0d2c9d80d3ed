"""The evaluator `ensemble`: the scores of several players' evaluators combined into one.

The evaluators may be of different kinds. So each is called from Python through the addresses of its functions, which
takes some microseconds per member and position, a hundred times as long as a small net takes by itself.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT, EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.kernel.compile.functions import Function
from gameforge.kernel.context import CompiledEvaluator
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry
from gameforge_search_vote.members import Folders, given, members

Combine = Literal["average", "max", "min"]
Scores = Callable[[Any, Any], float]


def _average(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


_COMBINED: dict[str, Callable[[Sequence[float]], float]] = {"average": _average, "max": max, "min": min}


@attrs.frozen(kw_only=True)
class Ensemble:
    """The component: combines scores for the side to move, each clipped to inside (-1, 1)."""

    players: Folders = attrs.field(validator=given)
    """The members, as in the searcher `vote`."""
    combine: Combine = "average"
    """How the scores of the members are combined."""

    def composed(self, registry: Registry, rules: Rules) -> "Combined":
        return Combined(members(self.players, registry, rules), self.combine)


class Combined:
    """The evaluator that `ensemble` composes from its members."""

    def __init__(self, players: Sequence[Player], combine: Combine) -> None:
        self.players, self.combine = players, combine

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The functions of the evaluator. Raises GameforgeError if a member has no evaluator."""
        for player in self.players:
            if player.parts.net is None:
                raise GameforgeError(f"evaluator ensemble: {player.name} has no evaluator")
        evaluators = [player.parts.evaluation_with(player.weights) for player in self.players]
        scores = [_score_of(evaluator) for evaluator in evaluators]
        combined = _COMBINED[self.combine]

        def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
            return combined([score(s, x) for score in scores])

        return EvaluatorFunctions(
            evaluate=evaluate, scratch=max(len(evaluator.inputs) for evaluator in evaluators), compiled=False
        )


def _score_of(evaluator: CompiledEvaluator) -> Scores:
    """`static_score` (gameforge.kernel.evaluate) for callers in Python; writes features to the caller's workspace."""
    compiled = isinstance(evaluator.forward, Function)
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
        return min(max(found, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)

    return score
