"""Evaluators `wpc`, `material` and `mobility`, and the feature maps `boardbits` and `discs` for those that learn.

The feature maps are the squares themselves, in the order a1, b1, ... h8. They see the board from the side that has just
moved, as in [Rezende2017]: the value of a state is that of the move that led to it.

Evaluators score for the side to move, within (-1, 1):

* wpc, a weighted piece counter: the sum of w[i] * (1 for an own disc, -1 for an opponent's) over the squares, divided
  by the sum of all |w[i]|. The kernel adds eight rows; the sum of a row is looked up by its eight bits.
* material: (own discs - opponent's) / 64.
* mobility: (own placements - opponent's) / 60.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import HEURISTIC_LIMIT, EvaluatorFunctions, FeatureFunctions, Rules, Unit, WeightVector
from gameforge.kernel import U1, FloatArray, Floats, Score, Words, popcount
from gameforge_othello.movegen import MAX_MOVES, NAMES, SQUARES, placements
from gameforge_othello.rules import Othello


def require_othello(rules: Rules, what: str) -> Othello:
    """Return the rules; raise GameforgeError if they are those of another game."""
    if not isinstance(rules, Othello):
        raise GameforgeError(f"{what} needs the board of othello, not of {rules.name}")
    return rules


def board_bits(fd: Words, s: Words, x: Floats) -> None:
    """Write x[0:64] = 1 for own discs and x[64:128] = 1 for the opponent's, else 0."""
    opponent, own = s[0], s[1]
    for i in range(SQUARES):
        x[i] = np.float32((own >> np.uint64(i)) & U1)
        x[SQUARES + i] = np.float32((opponent >> np.uint64(i)) & U1)


def signed_discs(fd: Words, s: Words, x: Floats) -> None:
    """Write x[i] = 1 for an own disc, -1 for an opponent's disc, 0 for none."""
    opponent, own = s[0], s[1]
    for i in range(SQUARES):
        x[i] = np.float32((own >> np.uint64(i)) & U1) - np.float32((opponent >> np.uint64(i)) & U1)


@attrs.frozen(kw_only=True)
class BoardBits:
    """128 inputs: for each square whether it has an own disc, then for each whether it has an opponent's disc."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "boardbits")
        names = tuple(f"{whose} {square}" for whose in ("own", "opponent's") for square in NAMES)
        return FeatureFunctions(inputs=2 * SQUARES, viewpoint="just moved", features=board_bits, names=names)


@attrs.frozen(kw_only=True)
class Discs:
    """64 inputs: 1 own disc, -1 opponent's, 0 empty. A net of them without hidden units is a weighted piece counter."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "discs")
        return FeatureFunctions(inputs=SQUARES, viewpoint="just moved", features=signed_discs, names=NAMES)


_ROW_BITS, _ROW, _ROWS = np.uint64(8), np.uint64(255), 8
_BITS_OF_ROWS = (np.arange(256)[:, None] >> np.arange(8)) & 1
"""[256, 8]: the bits of each row of discs."""
_LEAST_SUM = 1e-30
"""Avoids a division by 0: if all weights are 0, every score is 0."""
_QUARTER = ((1.0, -0.25, 0.1, 0.05), (-0.25, -0.25, 0.01, 0.01), (0.1, 0.01, 0.05, 0.02), (0.05, 0.01, 0.02, 0.01))
STANDARD = tuple(_QUARTER[min(row, 7 - row)][min(column, 7 - column)] for row in range(8) for column in range(8))
"""The standard heuristic table (Yoshioka et al. 1999), as in the CEC 2006 competition and the Othello League."""


def _check_weights(instance: object, attribute: "attrs.Attribute[tuple[float, ...]]", value: tuple[float, ...]) -> None:
    if len(value) != SQUARES:
        raise GameforgeError(f"'weights' must be {SQUARES} numbers, row by row from a1, not {len(value)}")
    if not all(-1e6 <= weight <= 1e6 for weight in value) or not any(abs(weight) >= 1e-6 for weight in value):
        raise GameforgeError("'weights' must lie between -1000000 and 1000000, with one at least 0.000001 from 0")


@attrs.frozen(kw_only=True)
class Wpc:
    """A weighted piece counter; `weights` are 64 numbers, row by row from a1. Only their ratios matter."""

    weights: tuple[float, ...] = attrs.field(default=STANDARD, validator=_check_weights)
    """Worth of a disc on each square, row by row from a1."""
    learned: bool = False
    """Whether each player has its own 64 weights, which learners set, in place of `weights`."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "wpc")
        if self.learned:
            vector = WeightVector(SQUARES, unpack=_sums_of_rows, unpack_backward=_sums_of_rows_backward)
            return EvaluatorFunctions(evaluate=_wpc, gradient=_wpc_gradient, vector=vector)
        return EvaluatorFunctions(evaluate=_wpc, weights=_sums_of_rows(np.array(self.weights)))

    def initial_weights(self, functions: EvaluatorFunctions, rng: np.random.Generator) -> NDArray[np.float32]:
        """Draw weights uniformly from [-1, 1], as in [KimCho2007], section 3.3."""
        return rng.uniform(-1, 1, SQUARES).astype(np.float32)


@attrs.frozen(kw_only=True)
class Material:
    """The difference of discs."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "material")
        return EvaluatorFunctions(evaluate=_material)

    def unit(self, rules: Rules) -> Unit:
        return Unit(one="disc", many="discs", worth=HEURISTIC_LIMIT / SQUARES)


@attrs.frozen(kw_only=True)
class Mobility:
    """The difference of the numbers of squares on which a side can place a disc, as if it were to move."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Raises GameforgeError if the rules are not those of othello."""
        require_othello(rules, "mobility")
        return EvaluatorFunctions(evaluate=_mobility)

    def unit(self, rules: Rules) -> Unit:
        return Unit(one="placement", many="placements", worth=HEURISTIC_LIMIT / MAX_MOVES)


def _sums_of_rows(weights: NDArray[np.float64] | FloatArray) -> NDArray[np.float32]:
    """Make the weights block of the kernel: 256 sums for each row, scaled so that scores lie in (-1, 1)."""
    rows = np.array(weights, np.float64).reshape(_ROWS, 8)
    rows *= HEURISTIC_LIMIT / max(np.abs(rows).sum(), _LEAST_SUM)
    return (rows @ _BITS_OF_ROWS.T).astype(np.float32).reshape(-1)


def _sums_of_rows_backward(weights: NDArray[np.float32], gradient: NDArray[np.float32]) -> NDArray[np.float32]:
    """Apply the chain rule to _sums_of_rows: each weight changes its own sums, and the scale of all."""
    w = weights.astype(np.float64)
    total = max(np.abs(w).sum(), _LEAST_SUM)
    unscaled = (gradient.astype(np.float64).reshape(_ROWS, 256) @ _BITS_OF_ROWS).reshape(-1)
    slopes = unscaled - np.sign(w) * (unscaled @ w) / total
    found: NDArray[np.float32] = (HEURISTIC_LIMIT / total * slopes).astype(np.float32)
    return found


def _wpc(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Evaluate with w[256 * r + bits], the sum of the weights of row r with discs on these bits."""
    own, opp = s[0], s[1]
    row = np.uint64(0)
    ours, theirs = np.float64(0), np.float64(0)
    for _ in range(_ROWS):
        ours += np.float64(w[row + (own & _ROW)])
        theirs += np.float64(w[row + (opp & _ROW)])
        own >>= _ROW_BITS
        opp >>= _ROW_BITS
        row += np.uint64(256)
    return ours - theirs


def _wpc_gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    own, opp = s[0], s[1]
    row = np.uint64(0)
    for _ in range(_ROWS):
        trace[row + (own & _ROW)] += np.float32(1)
        trace[row + (opp & _ROW)] -= np.float32(1)
        own >>= _ROW_BITS
        opp >>= _ROW_BITS
        row += np.uint64(256)


def _material(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    balance = np.int64(popcount(s[0])) - np.int64(popcount(s[1]))
    return HEURISTIC_LIMIT * np.float64(balance) / np.float64(SQUARES)


def _mobility(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    balance = np.int64(popcount(placements(s[0], s[1]))) - np.int64(popcount(placements(s[1], s[0])))
    return HEURISTIC_LIMIT * np.float64(balance) / np.float64(MAX_MOVES)
