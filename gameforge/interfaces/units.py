"""Units of scores: what the scores of an evaluator or a searcher count, such as men, discs or expected points.

A component that knows its unit has the method `unit(rules)`. If it has none, people see plain scores. A game whose
people think in pieces can offer the capability `piece_odds`, with which an expected result is also shown in pieces.
"""

import math
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules, State


@attrs.frozen(kw_only=True)
class PieceOdds:
    """How many pieces an expected result is worth in a position, by the log-odds of winning.

    The pieces are a lead in the position itself or, in a game that is won by a count at the end, the final lead that a
    side can expect.
    """

    one: str
    """The name of the piece, such as `man`."""
    many: str
    """Its plural."""
    log_odds: float = attrs.field()
    """Log-odds of winning, ln(p / (1 - p)) with the expected share p of the points, for each piece of the lead."""
    most: float = math.inf
    """The greatest lead in pieces; larger amounts are shown as this one."""
    decimals: int = 2
    """Number of decimals of an amount."""

    @log_odds.validator
    def _positive(self, attribute: "attrs.Attribute[float]", value: float) -> None:
        if not 0 < value < math.inf:
            raise GameforgeError(f"PieceOdds {self.one!r}: log_odds = {value!r}: must be a number greater than 0")

    def amount(self, score: float) -> float:
        """Return the lead in pieces for an expected result from -1 to 1, both exclusive."""
        return max(-self.most, min(self.most, 2 * math.atanh(score) / self.log_odds))


PieceOddsOf = Callable[[State], PieceOdds | None]
"""Returns the odds of a piece in a position; None if they are not known under the rules that are played."""


@attrs.frozen(kw_only=True)
class Unit:
    """A unit in which heuristic scores are proportional: amount = even + score / worth."""

    one: str
    """The name of the unit, such as `man`; "" for plain scores."""
    many: str
    """Its plural."""
    worth: float = attrs.field()
    """Difference of score for one of it."""
    even: float = 0.0
    """The amount for the score 0. Amounts are shown with a sign if it is 0."""
    decimals: int = 2
    """Number of decimals of an amount."""
    piece_odds: PieceOddsOf | None = None
    """A second way to show scores that are expected results."""

    @worth.validator
    def _positive(self, attribute: "attrs.Attribute[float]", value: float) -> None:
        if not 0 < value < math.inf:
            raise GameforgeError(f"Unit {self.one!r}: worth = {value!r}: must be a number greater than 0")

    def amount(self, score: float) -> float:
        """Return the amount for a heuristic score."""
        return self.even + score / self.worth


PLAIN = Unit(one="", many="", worth=1.0, decimals=3)
"""Scores as they are, from -1 to 1."""
EXPECTED_RESULT = Unit(one="%", many="%", worth=0.02, even=50.0, decimals=1)
"""For scores that are expected results: the expected share of the points, in percent."""


@runtime_checkable
class NamesUnit(Protocol):
    """An evaluator or searcher component that knows what its scores count."""

    def unit(self, rules: Rules) -> Unit | None:
        """Return the unit; None if the scores have none, or, for a searcher, if they are those of its evaluator."""
        ...
