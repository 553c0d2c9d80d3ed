"""Evaluator `material`: the number of pieces of both sides.

score = (man * (own men - opponent's men) + king * (own kings - opponent's kings)) / (24 * larger weight)

for the side to move. A side has at most 12 pieces, so |score| <= 1/2. The sums are exact in float64 for weights such as
1 and 1.5, so that scores, and therefore the node counts of searches, are the same on all machines.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, Rules, Unit
from gameforge.kernel import Floats, Score, Words, popcount
from gameforge_draughts.board import MEN


def _weight(instance: object, attribute: "attrs.Attribute[float]", value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.001 <= value <= 1000:
        raise GameforgeError(f"'{attribute.name}' must be a number from 0.001 to 1000 (got {value!r})")


def evaluate_material(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score material with w = [value of a man, value of a king, twice the maximum for a side]."""
    own, opp, kings = s[0], s[1], s[2]
    own_kings, opp_kings = np.int64(popcount(own & kings)), np.int64(popcount(opp & kings))
    own_men, opp_men = np.int64(popcount(own)) - own_kings, np.int64(popcount(opp)) - opp_kings
    balance = np.float64(w[0]) * (own_men - opp_men) + np.float64(w[1]) * (own_kings - opp_kings)
    return balance / np.float64(w[2])


@attrs.frozen(kw_only=True)
class Material:
    """The difference of pieces, with weights for men and kings; only the ratio of the weights matters."""

    man: float = attrs.field(default=1.0, validator=_weight)
    """Worth of a man."""
    king: float = attrs.field(default=1.5, validator=_weight)
    """Worth of a king."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(
            evaluate=evaluate_material, weights=np.array([self.man, self.king, self._bound], np.float32)
        )

    def unit(self, rules: Rules) -> Unit:
        """One man."""
        return Unit(one="man", many="men", worth=self.man / self._bound)

    @property
    def _bound(self) -> float:
        """Twice the greatest material of a side."""
        return 2 * MEN * max(self.man, self.king)
