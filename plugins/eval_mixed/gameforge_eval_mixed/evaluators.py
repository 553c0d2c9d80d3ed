"""The evaluators `ensemble` (the scores of several players combined) and `modules` (one evaluator for each phase).

The phases of `modules` ([Lynch1997], section 5.3) are numbers of occupied cells, which every game with the capability
`cells` knows.

The members are players; the searcher `vote` has the same. An evaluator that is named without a player becomes a player,
too, one that only scores positions. The evaluators may be of different kinds. So each is called from Python through the
addresses of its functions, which takes some microseconds per position, a hundred times as long as a small net takes by
itself.
"""

import bisect
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs
import numpy as np

from gameforge import Game, GameforgeError, Parts, Player, Registry, Workshop
from gameforge.interfaces import (
    HEURISTIC_LIMIT,
    Cells,
    EvaluatorFunctions,
    FeatureFunctions,
    Rules,
    RulesFunctions,
    SearcherFunctions,
    Spec,
    capability,
)
from gameforge.kernel import CompiledEvaluator, Floats, Words, assembly, bound, compiled_function

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
        return Combined(Workshop(registry).members(self.players, rules), self.combine)


class Combined:
    """The evaluator that `ensemble` composes from its members."""

    def __init__(self, players: Sequence[Player], combine: Combine) -> None:
        self.players, self.combine = players, combine

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The functions of the evaluator. Raises GameforgeError if a member has no evaluator."""
        found = scorers(self.players, "ensemble")
        combined = _COMBINED[self.combine]

        def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> float:
            return combined([score(s, x) for score in found.scores])

        return EvaluatorFunctions(evaluate=evaluate, scratch=found.scratch, compiled=False)


def _between(instance: "Modules", attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    phases = instance.phases
    if phases and len(value) != len(phases) - 1:
        what = "evaluators" if instance.players is None else "players"
        raise GameforgeError(
            f"'bounds' must have one number fewer than there are {what}, {len(phases) - 1} (got {value!r})"
        )
    if any(before >= after for before, after in itertools.pairwise((0, *value))):
        raise GameforgeError(f"'bounds' must be above 0 and ascend (got {value!r})")


@attrs.frozen(kw_only=True)
class Modules:
    """The component: of several evaluators, the one for the phase of the game scores a position."""

    evaluators: tuple[Spec, ...] | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(attrs.validators.min_len(1)),
        metadata={"component": "evaluator"},
    )
    """An evaluator without trainable weights for each phase, from the phase with the fewest occupied cells on."""
    players: tuple[Path, ...] | None = attrs.field(default=None, validator=attrs.validators.optional(given))
    """Instead of `evaluators`: saved or trained players, whose evaluators score."""
    bounds: tuple[int, ...] = attrs.field(validator=_between)
    """Numbers of occupied cells from which the next evaluator scores."""

    def __attrs_post_init__(self) -> None:
        if (self.evaluators is None) == (self.players is None):
            raise GameforgeError("modules needs either evaluators=[...] or players=[...], with an entry for each phase")

    @property
    def phases(self) -> tuple[Spec, ...] | tuple[Path, ...]:
        """What scores in each phase: evaluators by name, or players."""
        return (self.evaluators or ()) if self.players is None else self.players

    def composed(self, registry: Registry, rules: Rules) -> "Modular":
        """Load the players and create the evaluators.

        Raises GameforgeError if a folder holds several players, an evaluator has weights, or the game has no cells.
        """
        cells: Cells | None = capability(rules, "cells")
        if cells is None:
            raise GameforgeError(f"evaluator modules: {rules.name} has no cells, so its phases are not known")
        return Modular([_player(phase, registry, rules) for phase in self.phases], self.bounds, cells)


def _player(phase: Spec | Path, registry: Registry, rules: Rules) -> Player:
    """Return the player of a phase, whose evaluator scores."""
    if isinstance(phase, Spec):
        return player_of(phase, registry, rules)
    if not phase.exists() and registry.has("evaluator", str(phase).partition(":")[0], rules.name):
        raise GameforgeError(f"evaluator modules: {phase} is an evaluator, not a player; name it in evaluators=[...]")
    found = Workshop(registry).members(phase, rules)
    if len(found) > 1:
        raise GameforgeError(f"evaluator modules: {phase} holds {len(found)} players; name one saved player")
    return found[0]


class Modular:
    """The evaluator that `modules` composes."""

    def __init__(self, players: Sequence[Player], bounds: tuple[int, ...], cells: Cells) -> None:
        """players: as many as there are phases, in their order. bounds: as for `Modules`."""
        self.players, self.bounds, self.cells = players, bounds, cells

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The functions of the evaluator. Raises GameforgeError if a player has no evaluator."""
        found = scorers(self.players, "modules")
        bounds, occupied = self.bounds, _occupied(self.cells)

        def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> float:
            return found.scores[bisect.bisect_right(bounds, occupied(s))](s, x)

        return EvaluatorFunctions(evaluate=evaluate, scratch=found.scratch, compiled=False)


def _occupied(cells: Cells) -> Callable[[Words], int]:
    """Return a function that counts the occupied cells of a state."""
    codes = len(cells.codes)
    planes = np.zeros(codes + len(cells.numbers), np.uint64)
    read = bound(compiled_function("cells", cells.cells), assembly.block(cells.data))

    def count(s: Words) -> int:
        read(s, planes)
        return int(np.bitwise_or.reduce(planes[:codes])).bit_count()

    return count


@attrs.frozen
class NoSearch:
    """The searcher of a player that only scores positions; it is never called."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions()


def player_of(spec: Spec, registry: Registry, rules: Rules) -> Player:
    """Make a player of an evaluator.

    Raises GameforgeError as the registry does, and if the evaluator has weights, which only a training can set.
    """
    evaluator = registry.composed(registry.create("evaluator", spec, rules.name), rules)
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
