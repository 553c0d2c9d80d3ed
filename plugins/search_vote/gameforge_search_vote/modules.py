"""The evaluator `modules`: a saved player's evaluator for each phase of the game ([Lynch1997], section 5.3).

The phase is the number of occupied cells, which every game with the capability `cells` knows.
"""

import bisect
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.interfaces.cells import Cells
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.kernel.assembly import block
from gameforge.kernel.compile.functions import Function, compiled_function
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry
from gameforge_search_vote.members import given, members
from gameforge_search_vote.scores import scorers


def _between(instance: "Modules", attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    if len(value) != len(instance.players) - 1:
        raise GameforgeError(
            f"'bounds' must have one number less than there are players, {len(instance.players) - 1}: {value!r}"
        )
    if any(before >= after for before, after in itertools.pairwise((0, *value))):
        raise GameforgeError(f"'bounds' must be above 0 and ascend: {value!r}")


@attrs.frozen(kw_only=True)
class Modules:
    """The component: of several players, the one whose phase it is scores a position."""

    players: tuple[Path, ...] = attrs.field(validator=given)
    """A saved player for each phase, from the phase with the fewest occupied cells on."""
    bounds: tuple[int, ...] = attrs.field(validator=_between)
    """Numbers of occupied cells from which the next player scores."""

    def composed(self, registry: Registry, rules: Rules) -> "Modular":
        """Load the players. Raises GameforgeError if a folder holds several, or the game has no cells."""
        cells: Cells | None = capability(rules, "cells")
        if cells is None:
            raise GameforgeError(f"evaluator modules: {rules.name} has no cells, so its phases are not known")
        return Modular(tuple(_single(folder, registry, rules) for folder in self.players), self.bounds, cells)


def _single(folder: Path, registry: Registry, rules: Rules) -> Player:
    found = members((folder,), registry, rules)
    if len(found) > 1:
        raise GameforgeError(f"evaluator modules: {folder} holds {len(found)} players; name one saved player")
    return found[0]


class Modular:
    """The evaluator that `modules` composes."""

    def __init__(self, players: Sequence[Player], bounds: tuple[int, ...], cells: Cells) -> None:
        self.players, self.bounds, self.cells = players, bounds, cells

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The functions of the evaluator. Raises GameforgeError if a player has no evaluator."""
        found, bounds, occupied = scorers(self.players, "modules"), self.bounds, _occupied(self.cells)

        def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
            return found.scores[bisect.bisect_right(bounds, occupied(s))](s, x)

        return EvaluatorFunctions(evaluate=evaluate, scratch=found.scratch, compiled=False)


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
