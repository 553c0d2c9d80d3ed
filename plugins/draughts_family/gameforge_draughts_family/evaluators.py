"""Evaluator `material`: the number of pieces of both sides.

score = (man * (own men - opponent's men) + king * (own kings - opponent's kings)) / (2 * pieces * larger weight)

for the side to move, where `pieces` is the number of pieces of a side at the start, so that |score| <= 1/2. The loser
wins in games of that goal: its scores are negated.
"""

import attrs
import numpy as np
from gameforge_draughts.evaluators import evaluate_material

from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, Rules, Unit, kinds
from gameforge_draughts_family.board import board_of
from gameforge_draughts_family.features import require_family

_FLYING_KING, _SHORT_KING = 3.0, 1.5


@attrs.frozen(kw_only=True)
class Material:
    """The difference of pieces, with weights for men and kings; only the ratio of the weights matters."""

    man: float = attrs.field(default=1.0, validator=kinds.between(0.001, 1000))
    """Worth of a man."""
    king: float = attrs.field(default=0.0, validator=kinds.number("0 or a number up to 1000", 0, 1000))
    """Worth of a king; 0: that of three men if kings fly, else of one and a half."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        sign = -1 if require_family(rules, "material").settings().goal == "lose" else 1
        weights = [sign * self.man, sign * self._king(rules), self._bound(rules)]
        return EvaluatorFunctions(evaluate=evaluate_material, weights=np.array(weights, np.float32))

    def unit(self, rules: Rules) -> Unit:
        """One man."""
        return Unit(one="man", many="men", worth=self.man / self._bound(rules))

    def _king(self, rules: Rules) -> float:
        flying = require_family(rules, "material").settings().kings != "short"
        return self.king or self.man * (_FLYING_KING if flying else _SHORT_KING)

    def _bound(self, rules: Rules) -> float:
        """Twice the greatest material of a side."""
        men = board_of(require_family(rules, "material").settings()).men
        return 2 * men * max(self.man, self._king(rules))
