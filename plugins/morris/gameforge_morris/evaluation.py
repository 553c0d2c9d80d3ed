"""Evaluators `material`, `mobility`, `mills` and `weighted`, and the feature maps `boardbits` and `points`.

The feature maps see the board from the side that has just moved, as in [Rezende2017]: the value of a state is that of
the move that led to it.

Evaluators score for the side to move. All are differences, own minus opponent's, divided by a bound so that they lie in
(-1, 1):

* material: number of men, those in hand included.
* mills: number of closed mills.
* mobility: number of steps along lines that the men on the board could make. Flying is ignored, because a side that
  flies is usually the weaker one.
* weighted: all three, each with its weight.
"""

from collections.abc import Callable

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import HEURISTIC_LIMIT, EvaluatorFunctions, FeatureFunctions, Rules, Unit
from gameforge.kernel import U1, Floats, Score, Words, inline, popcount
from gameforge_morris.movegen import BOARD, MOST_MEN, NAMES, POINTS, hand, mills, placements_left, slides
from gameforge_morris.rules import Morris

_HAND_BITS = 4
_BITS = 2 * (POINTS + _HAND_BITS) + 2


def require_morris(rules: Rules, what: str) -> None:
    """Raise GameforgeError if these are the rules of another game."""
    if not isinstance(rules, Morris):
        raise GameforgeError(f"{what} needs the board of morris, not of {rules.name}")


def board_bits(fd: Words, s: Words, x: Floats) -> None:
    """Write own men to x[0:24], the opponent's to x[24:48], then both hands (low bit first), placing, White moved."""
    opponent, own, left, opponent_hand = s[0], s[1], placements_left(s), hand(s)
    own_hand = left - opponent_hand
    for i in range(POINTS):
        x[i] = np.float32((own >> np.uint64(i)) & U1)
        x[POINTS + i] = np.float32((opponent >> np.uint64(i)) & U1)
    for i in range(_HAND_BITS):
        x[2 * POINTS + i] = np.float32((own_hand >> np.uint64(i)) & U1)
        x[2 * POINTS + _HAND_BITS + i] = np.float32((opponent_hand >> np.uint64(i)) & U1)
    x[_BITS - 2] = np.float32(1) if left else np.float32(0)
    x[_BITS - 1] = np.float32(s[2] & U1)


def signed_points(fd: Words, s: Words, x: Floats) -> None:
    """Write x[i] = 1 for an own man, -1 for an opponent's; then the men of each side, divided by their maximum."""
    opponent, own, left, opponent_hand = s[0], s[1], placements_left(s), hand(s)
    for i in range(POINTS):
        x[i] = np.float32((own >> np.uint64(i)) & U1) - np.float32((opponent >> np.uint64(i)) & U1)
    x[POINTS] = np.float32(popcount(own) + left - opponent_hand) / np.float32(MOST_MEN)
    x[POINTS + 1] = np.float32(popcount(opponent) + opponent_hand) / np.float32(MOST_MEN)


@attrs.frozen(kw_only=True)
class BoardBits:
    """58 inputs: own and opponent's men, both hands in binary, whether men are placed, whether White has moved."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of Morris."""
        require_morris(rules, "boardbits")
        names = tuple(f"{whose} {point}" for whose in ("own", "opponent's") for point in NAMES)
        names += tuple(f"{whose} hand {1 << i}" for whose in ("own", "opponent's") for i in range(_HAND_BITS))
        return FeatureFunctions(
            inputs=_BITS, viewpoint="just moved", features=board_bits, names=(*names, "placing", "White")
        )


@attrs.frozen(kw_only=True)
class Points:
    """26 inputs: 1 own man, -1 opponent's, 0 free for each point; then the men of both sides, hands included."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of Morris."""
        require_morris(rules, "points")
        names = (*NAMES, "own men", "opponent's men")
        return FeatureFunctions(inputs=len(names), viewpoint="just moved", features=signed_points, names=names)


MOST_MILLS = 2 * MOST_MEN // 3
"""A man is in at most two mills, and a mill has three men."""
MOST_STEPS = 32
"""There are 32 lines between neighbouring points, and each allows at most one step."""

Evaluate = Callable[[Words, Floats, Words, Floats], Score]


@inline
def _men(s: Words) -> np.int64:
    """Own men minus the opponent's, those in hand counted."""
    in_hand = np.int64(hand(s))
    return np.int64(popcount(s[0])) - np.int64(popcount(s[1])) + in_hand + in_hand - np.int64(placements_left(s))


@inline
def _mills(s: Words) -> np.int64:
    return np.int64(mills(s[0])) - np.int64(mills(s[1]))


@inline
def _steps(s: Words) -> np.int64:
    free = BOARD & ~(s[0] | s[1])
    return np.int64(slides(s[0], free)) - np.int64(slides(s[1], free))


def evaluate_material(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score men; w[0] is the value of one man."""
    return np.float64(w[0]) * np.float64(_men(s))


def evaluate_mills(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score mills; w[0] is the value of one mill."""
    return np.float64(w[0]) * np.float64(_mills(s))


def evaluate_mobility(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score steps; w[0] is the value of one step."""
    return np.float64(w[0]) * np.float64(_steps(s))


def evaluate_weighted(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score men, mills and steps; w holds the values of one of each."""
    total = np.float64(w[0]) * np.float64(_men(s)) + np.float64(w[1]) * np.float64(_mills(s))
    return total + np.float64(w[2]) * np.float64(_steps(s))


def _functions(rules: Rules, name: str, evaluate: Evaluate, *weights: float) -> EvaluatorFunctions:
    """Make the functions of an evaluator; GameforgeError if the rules are not those of Morris."""
    require_morris(rules, name)
    scaled = np.array(weights, np.float64) * HEURISTIC_LIMIT
    return EvaluatorFunctions(evaluate=evaluate, weights=scaled.astype(np.float32))


def _weight(instance: object, attribute: "attrs.Attribute[float]", value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1000:
        raise GameforgeError(f"'{attribute.name}' must be a number from 0 to 1000 (got {value!r})")


@attrs.frozen(kw_only=True)
class Material:
    """The difference of men."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return _functions(rules, "material", evaluate_material, 1 / MOST_MEN)

    def unit(self, rules: Rules) -> Unit:
        return Unit(one="man", many="men", worth=HEURISTIC_LIMIT / MOST_MEN)


@attrs.frozen(kw_only=True)
class Mills:
    """The difference of closed mills."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return _functions(rules, "mills", evaluate_mills, 1 / MOST_MILLS)

    def unit(self, rules: Rules) -> Unit:
        return Unit(one="mill", many="mills", worth=HEURISTIC_LIMIT / MOST_MILLS)


@attrs.frozen(kw_only=True)
class Mobility:
    """The difference of possible steps."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return _functions(rules, "mobility", evaluate_mobility, 1 / MOST_STEPS)

    def unit(self, rules: Rules) -> Unit:
        return Unit(one="step", many="steps", worth=HEURISTIC_LIMIT / MOST_STEPS)


@attrs.frozen(kw_only=True)
class Weighted:
    """The weighted sum of men, closed mills and possible steps; only the ratios of the weights matter."""

    man: float = attrs.field(default=1.0, validator=_weight)
    """Worth of a man, in hand or on the board."""
    mill: float = attrs.field(default=0.25, validator=_weight)
    """Worth of a closed mill."""
    step: float = attrs.field(default=0.05, validator=_weight)
    """Worth of a possible step."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Make the functions; GameforgeError if all weights are 0, or if the rules are not those of Morris."""
        bound = self._bound
        if bound == 0:
            raise GameforgeError("weighted: 'man', 'mill' and 'step' must not all be 0")
        return _functions(rules, "weighted", evaluate_weighted, self.man / bound, self.mill / bound, self.step / bound)

    def unit(self, rules: Rules) -> Unit | None:
        """One man; none if men count nothing."""
        return Unit(one="man", many="men", worth=self.man / self._bound * HEURISTIC_LIMIT) if self.man else None

    @property
    def _bound(self) -> float:
        return self.man * MOST_MEN + self.mill * MOST_MILLS + self.step * MOST_STEPS
