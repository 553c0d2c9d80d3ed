"""The evaluator `material`, a count of pieces, and the feature map `boardbits`, what is on each square.

The feature map sees the board from the side that has just moved. The evaluator scores for the side to move:

score = (man * (own men - opponent's men) + king * (own kings - opponent's kings)) / (2 * pieces * larger weight)

where `pieces` is the number of pieces of a side at the start, so that |score| <= 1/2. In games in which the loser wins,
scores are negated.
"""

import attrs
import numpy as np
from gameforge_draughts.evaluation import evaluate_material

from gameforge import GameforgeError
from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, Rules, Unit, kinds
from gameforge.kernel import U1, Floats, Score, Words, popcount
from gameforge_draughts_family.board import board_of
from gameforge_draughts_family.cells import cells_of
from gameforge_draughts_family.rules import FamilyRules

_PLANES = ("own men", "opponent's men", "own kings", "opponent's kings")
"""As the side that has just moved sees them."""


def require_family(rules: Rules, what: str) -> FamilyRules:
    """Return the rules; raise GameforgeError if they are those of another game."""
    if not isinstance(rules, FamilyRules):
        raise GameforgeError(f"{what} needs a game of the draughts family, not {rules.name}")
    return rules


def board_bits(fd: Words, s: Words, x: Floats) -> None:
    """Write four inputs for each square: men and kings of the side that moved, and of the other.

    fd: number of squares, then the bit of each square as White sees the board, then as Black sees it.
    """
    count = fd[0]
    opponent, own, kings = s[0], s[1], s[2]
    first = U1 if s[3] & U1 else U1 + count  # White has just moved if Black is to move
    for i in range(count):
        bit = fd[first + np.uint64(i)]
        king = (kings >> bit) & U1
        own_here, opponent_here = (own >> bit) & U1, (opponent >> bit) & U1
        x[4 * i] = np.float32(own_here & ~king)
        x[4 * i + 1] = np.float32(opponent_here & ~king)
        x[4 * i + 2] = np.float32(own_here & king)
        x[4 * i + 3] = np.float32(opponent_here & king)


@attrs.frozen(kw_only=True)
class BoardBits:
    """Four inputs for each square: own man, opponent's man, own king, opponent's king."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of a game of the family."""
        variant = require_family(rules, "boardbits").settings()
        if board_of(variant).words > 1:
            raise GameforgeError("boardbits needs a board of at most 64 squares, not board=12x12")
        bits = sorted(board_of(variant).bits)
        names = cells_of(variant).labels
        return FeatureFunctions(
            inputs=4 * len(bits),
            viewpoint="just moved",
            features=board_bits,
            names=tuple(f"{plane} {name}" for name in reversed(names) for plane in _PLANES),
            data=np.array([len(bits), *reversed(bits), *bits], np.uint64),
        )


def evaluate_wide_material(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score the material of a board with two words for each set; w: as for `evaluate_material`."""
    own_kings = np.int64(popcount(s[0] & s[4])) + np.int64(popcount(s[1] & s[5]))
    opp_kings = np.int64(popcount(s[2] & s[4])) + np.int64(popcount(s[3] & s[5]))
    own_men = np.int64(popcount(s[0])) + np.int64(popcount(s[1])) - own_kings
    opp_men = np.int64(popcount(s[2])) + np.int64(popcount(s[3])) - opp_kings
    balance = np.float64(w[0]) * (own_men - opp_men) + np.float64(w[1]) * (own_kings - opp_kings)
    return balance / np.float64(w[2])


_FLYING_KING, _SHORT_KING = 3.0, 1.5


@attrs.frozen(kw_only=True)
class Material:
    """The difference of pieces, with weights for men and kings; only the ratio of the weights matters."""

    man: float = attrs.field(default=1.0, validator=kinds.between(0.001, 1000))
    """Worth of a man."""
    king: float = attrs.field(default=0.0, validator=kinds.number("0 or a number up to 1000", 0, 1000))
    """Worth of a king; 0: that of three men if kings fly, else of one and a half."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        variant = require_family(rules, "material").settings()
        sign = -1 if variant.goal == "lose" else 1
        weights = [sign * self.man, sign * self._king(rules), self._bound(rules)]
        evaluate = evaluate_material if board_of(variant).words == 1 else evaluate_wide_material
        return EvaluatorFunctions(evaluate=evaluate, weights=np.array(weights, np.float32))

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
