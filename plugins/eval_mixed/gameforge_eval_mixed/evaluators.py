"""The evaluators `ensemble` (the scores of several players combined) and `modules` (one evaluator for each phase).

The phases of `modules` ([Lynch1997], section 5.3) are numbers of occupied cells, which every game with the capability
`cells` knows.
"""

import bisect
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs
import numpy as np

from gameforge import GameforgeError, Player, Registry
from gameforge.interfaces import Cells, EvaluatorFunctions, FeatureFunctions, Rules, Spec, capability
from gameforge.kernel import CompiledEvaluator, Function, block, compiled_function
from gameforge_eval_mixed.members import Folders, NamedEvaluator, evaluator_of, given, members, named_evaluator, scorers

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


def _between(instance: "Modules", attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    what, phases = ("evaluators", instance.evaluators) if instance.players is None else ("players", instance.players)
    if phases is not None and len(value) != len(phases) - 1:
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

    def composed(self, registry: Registry, rules: Rules) -> "Modular":
        """Create the evaluators. Raises GameforgeError if a folder holds several players, or the game has no cells."""
        cells: Cells | None = capability(rules, "cells")
        if cells is None:
            raise GameforgeError(f"evaluator modules: {rules.name} has no cells, so its phases are not known")
        members: tuple[Player | NamedEvaluator, ...] = (
            *(_single(folder, registry, rules) for folder in self.players or ()),
            *(named_evaluator(spec, registry, rules) for spec in self.evaluators or ()),
        )
        return Modular(members, self.bounds, cells)


def _single(folder: Path, registry: Registry, rules: Rules) -> Player:
    if not folder.exists() and registry.has("evaluator", str(folder).partition(":")[0], rules.name):
        raise GameforgeError(f"evaluator modules: {folder} is an evaluator, not a player; name it in evaluators=[...]")
    found = members((folder,), registry, rules)
    if len(found) > 1:
        raise GameforgeError(f"evaluator modules: {folder} holds {len(found)} players; name one saved player")
    return found[0]


class Modular:
    """The evaluator that `modules` composes."""

    def __init__(self, members: Sequence[Player | NamedEvaluator], bounds: tuple[int, ...], cells: Cells) -> None:
        """members: as many as there are phases, in their order. bounds: as for `Modules`."""
        self.members, self.bounds, self.cells = members, bounds, cells

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The functions of the evaluator. Raises GameforgeError if a member has no evaluator, or one with weights."""
        found = scorers([_compiled(member, rules) for member in self.members])
        bounds, occupied = self.bounds, _occupied(self.cells)

        def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
            return found.scores[bisect.bisect_right(bounds, occupied(s))](s, x)

        return EvaluatorFunctions(evaluate=evaluate, scratch=found.scratch, compiled=False)


def _compiled(member: Player | NamedEvaluator, rules: Rules) -> CompiledEvaluator:
    return member.compiled(rules) if isinstance(member, NamedEvaluator) else evaluator_of(member, "modules")


def _occupied(cells: Cells) -> Callable[[Any], int]:
    """A function that counts the occupied cells of a state, which is an address if functions are compiled."""
    function = compiled_function("cells", cells.cells)
    data, codes = block(cells.data), len(cells.codes)
    planes = np.zeros(codes + len(cells.numbers), np.uint64)
    compiled = isinstance(function, Function)
    read = function.python if compiled else function
    settings, found = (data.ctypes.data, planes.ctypes.data) if compiled else (data, planes)

    def count(s: Any) -> int:
        read(settings, s, found)
        return int(np.bitwise_or.reduce(planes[:codes])).bit_count()

    return count
