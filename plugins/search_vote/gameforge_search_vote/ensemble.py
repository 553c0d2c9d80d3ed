"""The evaluator `ensemble`: the scores of several players' evaluators combined into one."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import attrs

from gameforge.discovery.registry import Registry
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.play.player import Player
from gameforge_search_vote.members import Folders, given, members
from gameforge_search_vote.scores import evaluator_of, scorers

Combine = Literal["average", "max", "min"]


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
        found = scorers([evaluator_of(player, "ensemble") for player in self.players])
        combined = _COMBINED[self.combine]

        def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
            return combined([score(s, x) for score in found.scores])

        return EvaluatorFunctions(evaluate=evaluate, scratch=found.scratch, compiled=False)
