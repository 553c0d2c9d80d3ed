"""The oracle `gated`: consult another oracle only where the evaluator is in doubt ([KimCho2007], section 3.2).

If the evaluator calls a position even (|f| <= low) or decided (|f| >= high), its score f stands. In between, the other
oracle is consulted, and its answer replaces f.
"""

from typing import Literal

import attrs

from gameforge import GameforgeError, Registry
from gameforge.interfaces import Announce, Gate, Oracle, OracleFunctions, Rules, Spec, kinds, silent


def _above_low(instance: "Gated", attribute: "attrs.Attribute[float]", value: float) -> None:
    if not instance.low < value:
        raise GameforgeError(f"'high' must be above low = {instance.low:g} (got {value!r})")


@attrs.frozen(kw_only=True)
class Gated:
    """The component: an oracle that is consulted if low < |f| < high, f being the score of the position."""

    oracle: Spec = attrs.field(metadata={"component": "oracle"})
    """The oracle that is gated."""
    low: float = attrs.field(default=0.25, validator=kinds.share)
    """The oracle is consulted only if the size of the score is above this."""
    high: float = attrs.field(default=0.75, validator=[kinds.share, _above_low])
    """The oracle is consulted only if the size of the score is below this."""
    at: Literal["leaves", "root", "searched"] = "leaves"
    """The positions concerned, and f. leaves: those that the search evaluates, by the evaluator's score. root: those
    after the moves of the root, by the evaluator's score. searched: the same, by the score that the search found."""

    @property
    def gate(self) -> Gate:
        return Gate(low=self.low, high=self.high, at=self.at)

    def composed(self, registry: Registry, rules: Rules) -> "GatedOracle":
        return GatedOracle(registry.composed(registry.create("oracle", self.oracle, rules.name), rules), self.gate)


@attrs.frozen
class GatedOracle:
    """An oracle and its gate."""

    oracle: Oracle
    gate: Gate

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Open the oracle with its gate. Raises GameforgeError if the oracle has a gate already."""
        functions = self.oracle.open(rules, announce, workers)
        if functions.gate is not None:
            raise GameforgeError("oracle gated: the oracle to be gated has a gate already")
        return attrs.evolve(functions, gate=self.gate)
