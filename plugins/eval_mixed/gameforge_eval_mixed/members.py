"""The members of a vote or of a mixed evaluator: players, and their scores for callers in Python.

An evaluator that is named without a player becomes a player, too, one that only scores positions. The evaluators may be
of different kinds. So each is called from Python through the addresses of its functions, which takes some microseconds
per position, a hundred times as long as a small net takes by itself.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge import Game, GameforgeError, Parts, Player, Registry
from gameforge.interfaces import HEURISTIC_LIMIT, Rules, RulesFunctions, SearcherFunctions, Spec, composed
from gameforge.kernel import CompiledEvaluator, Floats, Words, bound

Folders = Path | tuple[Path, ...]
"""One or more folders, each of which is a saved player, a run or a folder of saved players.

The name of a trained player, optionally with a level, stands for its folder.
"""


def given(instance: object, attribute: "attrs.Attribute[Any]", value: Folders | None) -> None:
    """Validate that at least one folder is named."""
    if value == ():
        raise GameforgeError(
            f"'{attribute.name}' must name a run, a saved player, a trained player or a list of them (got {value!r})"
        )


@attrs.frozen
class NoSearch:
    """The searcher of a player that only scores positions; it is never called."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions()


def player_of(spec: Spec, registry: Registry, rules: Rules) -> Player:
    """Make a player of an evaluator.

    Raises GameforgeError as the registry does, and if the evaluator has weights, which only a training can set.
    """
    evaluator = composed(registry.create("evaluator", spec, rules.name), registry, rules)
    choice = getattr(evaluator, "features", None)
    features = registry.create("features", choice, rules.name) if isinstance(choice, Spec) else None
    try:
        parts = Parts(Game(rules), NoSearch(), evaluator, features)
    except GameforgeError as error:
        if error.parameter == "features":  # a net, which would need training even with a feature map
            raise _untrained(spec) from error
        raise
    if parts.vector is not None:
        raise _untrained(spec)
    return Player(parts, name=spec.use)


def _untrained(spec: Spec) -> GameforgeError:
    return GameforgeError(
        f"evaluator {spec.use} needs training before others can use it; name a saved player instead, as in "
        "ensemble:players=RUN/player"
    )


Scores = Callable[[Words, Floats], float]
"""Called with a state and workspace; returns the score for the side to move, clipped to inside (-1, 1)."""


@attrs.frozen
class Scorers:
    """The scores of several evaluators."""

    scores: tuple[Scores, ...]
    scratch: int
    """Number of float32 elements of workspace that any of them needs."""


def scorers(players: Sequence[Player], component: str) -> Scorers:
    """Return the scores of the players' evaluators. Raises GameforgeError, for `component`, if a player has none."""
    for player in players:
        if player.parts.net is None:
            raise GameforgeError(f"evaluator {component}: {player.name} has no evaluator")
    evaluators = [player.parts.evaluation_with(player.weights) for player in players]
    return Scorers(tuple(map(_score_of, evaluators)), max(len(evaluator.inputs) for evaluator in evaluators))


def _score_of(evaluator: CompiledEvaluator) -> Scores:
    """Return what `static_score` computes in kernels, for callers in Python; features are written to their workspace.

    What a function raises is raised here: otherwise a member that failed would score 0.
    """
    features = bound(evaluator.features, evaluator.features_data)
    forward = bound(evaluator.forward, evaluator.data, evaluator.weights)
    evaluate = bound(evaluator.evaluate, evaluator.data, evaluator.weights)

    def score(s: Words, x: Floats) -> float:
        if evaluator.is_net:
            features(s, x)
            found = float(evaluator.sign) * float(forward(x))
        else:
            found = float(evaluate(s, x))
        return min(max(found, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)

    return score
