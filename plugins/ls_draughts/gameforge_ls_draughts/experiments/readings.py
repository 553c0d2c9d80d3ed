"""The readings of [Neto2009] that the experiment `loop-readings` compares: how ties are broken, what a database does.

The paper prints `v > besteval`, which keeps the first of equal moves, in a procedure whose bookkeeping is garbled. It
consults the database in the search, says that a lookup "respects the capture constraints" (section 5.4.2), and that the
database improves "the adjustment of the Neural Network weights" (section 5).
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import attrs

from gameforge_ls_draughts.experiments.published import EXTENDED, NEURODRAUGHTS, ORIGINAL

Ties = Literal["first", "random"]


@attrs.frozen(kw_only=True)
class Reading:
    """A pipeline whose loops are counted."""

    player: str
    """Whose training it reads: NeuroDraughts' 12 features, or all 15 of LS-Draughts, without or with a database."""
    ties: Ties
    pieces: int = 0
    """Number of pieces of the database; 0: none."""
    target: Literal["net", "oracle"] = "net"
    """Whether the database's values are targets of the training."""
    quiet: bool = False
    """Whether only positions without a possible capture are looked up."""

    @property
    def name(self) -> str:
        """Name of the condition."""
        ties = f"{self.ties} ties"
        if not self.pieces:
            return f"{self.player}, {ties}"
        lookups = "quiet lookups" if self.quiet else "all lookups"
        return f"{ties}, {self.pieces} pieces, {lookups}" + (", as target" if self.target == "oracle" else "")

    @property
    def settings(self) -> dict[str, Any]:
        """Changes to the preset `neurodraughts-2009`."""
        known = [{"use": "chinook", "pieces": self.pieces, "quiet": self.quiet}] if self.pieces else "none"
        features = {} if self.player == NEURODRAUGHTS else {"evaluator": {"features": {"set": "ls"}}}
        return {
            "searcher": {"ties": self.ties},
            "learner": {"target": self.target},
            "oracle": known,
            **features,
        }


def readings(databases: Sequence[int]) -> Iterator[Reading]:
    """All readings, with databases of these numbers of pieces."""
    for ties in _TIES:
        yield Reading(player=NEURODRAUGHTS, ties=ties)
        yield Reading(player=ORIGINAL, ties=ties)
    for pieces, ties, target, quiet in itertools.product(databases, _TIES, _TARGETS, (False, True)):
        yield Reading(player=EXTENDED, ties=ties, pieces=pieces, target=target, quiet=quiet)


_TIES: tuple[Ties, ...] = ("first", "random")
_TARGETS: tuple[Literal["net", "oracle"], ...] = ("net", "oracle")
