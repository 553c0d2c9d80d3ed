"""The readings of [Neto2009] that the experiment `loop-readings` compares: how ties are broken, what a database does.

The paper prints `v > besteval`, which keeps the first of equal moves, in a procedure whose bookkeeping is garbled. It
consults the database in the search, says that a lookup "respects the capture constraints" (section 5.4.2), and that the
database improves "the adjustment of the Neural Network weights" (section 5).
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
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
    further: tuple[str, ...] = ()
    """Folders or files of databases that are consulted after it."""
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
        target = ", as target" if self.target == "oracle" else ""
        return f"{ties}, {self.database}, {lookups}{target}"

    @property
    def database(self) -> str:
        """Name of the database, such as `6 pieces and db7`."""
        return " and ".join((f"{self.pieces} pieces", *(Path(path).name for path in self.further)))

    @property
    def settings(self) -> dict[str, Any]:
        """Changes to the preset `neurodraughts-2009`."""
        built: list[dict[str, Any]] = [{"pieces": self.pieces}] if self.pieces else []
        databases = [*built, *({"path": path} for path in self.further)]
        known = [{"use": "chinook", "quiet": self.quiet, **one} for one in databases]
        features = {} if self.player == NEURODRAUGHTS else {"evaluator": {"features": {"set": "ls"}}}
        return {
            "searcher": {"ties": self.ties},
            "learner": {"target": self.target},
            "oracle": known or "none",
            **features,
        }


def readings(numbers: Sequence[int], further: tuple[str, ...] = ()) -> Iterator[Reading]:
    """All readings with databases of these numbers of pieces; and with the largest and `further` ones, if any."""
    for ties in _TIES:
        yield Reading(player=NEURODRAUGHTS, ties=ties)
        yield Reading(player=ORIGINAL, ties=ties)
    databases: list[tuple[int, tuple[str, ...]]] = [(pieces, ()) for pieces in numbers]
    if further:
        databases.append((max(numbers), further))
    for (pieces, others), ties, target, quiet in itertools.product(databases, _TIES, _TARGETS, (False, True)):
        yield Reading(player=EXTENDED, ties=ties, pieces=pieces, further=others, target=target, quiet=quiet)


_TIES: tuple[Ties, ...] = ("first", "random")
_TARGETS: tuple[Literal["net", "oracle"], ...] = ("net", "oracle")
