"""The evaluator `patterns`: its parameters, and what it makes of them for a game."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.config.validation import whole
from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Cells, PatternSet
from gameforge.interfaces.capabilities import capability
from gameforge.interfaces.evaluator import EXPECTED_RESULT, EvaluatorFunctions, Unit, WeightVector
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.kernel.compile.functions import specialised
from gameforge_eval_patterns import kernel
from gameforge_eval_patterns.groups import generated, groups
from gameforge_eval_patterns.layout import STEP, layout_of


@attrs.frozen(kw_only=True)
class Patterns:
    """Which groups of cells have weights for their configurations, and how weights change during a game.

    What is left out is as in the game's default set, its first; a game without sets has generated patterns.
    """

    patterns: str = ""
    """Name of a set of the game's, `lines 4`, `rectangles 2x4 4x2`, `cells a1 b1 a2`, or several with `;` between."""
    codes: tuple[str, ...] | None = None
    """The codes that patterns distinguish; each of the others has a weight for each cell."""
    counter: str | None = None
    """What determines the phase: `pieces`, or a number that the game counts."""
    phases: tuple[int, ...] | None = None
    """Values of the counter, ascending: a set of weights for each."""
    memory: int = attrs.field(default=256, validator=whole("a whole number of megabytes, 1 or more", 1))
    """Maximum megabytes for the weights of a player; a fit needs several times as much, which does not count."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Raise GameforgeError if the game offers no cells, or the patterns do not fit on its board or into memory."""
        cells = capability(rules, "cells")
        if cells is None:
            raise GameforgeError(f"evaluator patterns needs the cells of the board; {rules.name} does not offer any")
        layout = layout_of(cells, self._chosen(cells), self.memory)
        return EvaluatorFunctions(
            evaluate=specialised(kernel.evaluate, "cells", cells.cells),
            terms=specialised(kernel.terms, "cells", cells.cells),
            data=layout.data(),
            vector=WeightVector(layout.length, layout.unpack, step=STEP, layout=layout.identity),
            max_terms=layout.most_terms + layout.scratch,
            scratch=layout.scratch,
        )

    def initial_weights(self, functions: EvaluatorFunctions, rng: np.random.Generator) -> NDArray[np.float32]:
        """All 0: every position is even."""
        assert functions.vector is not None
        return np.zeros(functions.vector.length, np.float32)

    def check_weights(self, functions: EvaluatorFunctions, weights: NDArray[np.float32]) -> None:
        """Raise GameforgeError if a weight is not a finite number."""
        if not np.isfinite(weights).all():
            raise GameforgeError(f"{int((~np.isfinite(weights)).sum()):,} of its weights are not finite numbers")

    def with_added(
        self, rules: Rules, weights: NDArray[np.float32], added: Mapping[str, Sequence[float]]
    ) -> NDArray[np.float32]:
        """Return the weights, in log-odds, with additions to those of the game's numbers, one for each phase."""
        cells = capability(rules, "cells")
        assert cells is not None, "functions() has refused the game"
        names, phases = cells.numbers, self._chosen(cells).phases
        table = weights.reshape(-1, len(phases)).copy()
        numbers = table[-1 - len(names) : -1]  # the constant comes last
        for name, values in added.items():
            if name not in names:
                raise GameforgeError(f"added: {name!r} is not one of {', '.join(names) or 'none'}")
            if len(values) != len(phases) or not np.isfinite(values).all():
                raise GameforgeError(f"added: {name!r} needs {len(phases)} finite numbers, one for each phase")
            numbers[names.index(name)] += np.rint(np.array(values) / STEP) * STEP  # still saved in two bytes
        return table.reshape(-1)

    def _chosen(self, cells: Cells) -> PatternSet:
        """The set that the parameters describe."""
        default = next(iter(cells.sets.values()), None) or PatternSet(
            patterns=generated(cells.places), phases=(0, len(cells.places))
        )
        if self.codes == ():
            raise GameforgeError(f"patterns: codes: the list is empty; name at least one of {', '.join(cells.codes)}")
        text = self.patterns.strip()
        found = cells.sets.get(text) or (attrs.evolve(default, patterns=groups(text, cells)) if text else default)
        changes: dict[str, Any] = {"codes": self.codes, "counter": self.counter, "phases": self.phases}
        return attrs.evolve(found, **{key: value for key, value in changes.items() if value is not None})
