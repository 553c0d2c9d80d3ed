"""Interfaces of oracles and of opening books, which know moves or values without a search, and of composite components.

An oracle has exact knowledge about a position, or none. A book holds lines that a player follows by the record of the
game; it knows no values of positions, so it is not an oracle, and searchers never consult it. A pipeline lists books
together with oracles, under `oracle`.

A component of any kind can be composed of others, such as a gated oracle or an ensemble of players (`Composite`).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.discovery.registry import Registry
    from gameforge.interfaces.games import Opening
    from gameforge.interfaces.rules import Rules, State


Value = Literal["win", "loss", "draw"]
"""A result for the side to move."""
GatePlace = Literal["leaves", "root", "searched"]
"""Where a searcher consults gated oracles: for the positions at the ends of lines, which the evaluator scores, or for
the positions after the moves of the root. There the gate judges the evaluator's scores of these positions, or, with
`searched`, those that the search found for the moves."""


@attrs.frozen
class Verdict:
    """What an oracle knows about a position, for the side to move."""

    value: Value
    """The result with best play by both sides."""
    distance: int | None = None
    """Plies to the end with best play; None if the oracle has no distances."""
    conversion: bool = False
    """True: the distance counts to the next irreversible move, not to the end of the game."""
    lead: int | None = None
    """In a game that is won by a count: the pieces by which the side to move leads at the end; None if not known."""

    def __str__(self) -> str:
        if self.lead:
            return f"{self.value} by {abs(self.lead)}"
        if self.distance is None:
            return self.value
        plies = f"{self.distance} pl{'y' if self.distance == 1 else 'ies'}"
        return f"{self.value}, next irreversible move in {plies}" if self.conversion else f"{self.value} in {plies}"


@attrs.frozen(kw_only=True)
class Gate:
    """A range of scores: the oracle is consulted only where low < |score| < high, with the score of the position."""

    low: float
    """Scores must be farther from 0 than this."""
    high: float
    """Scores must be nearer to 0 than this."""
    at: GatePlace = attrs.field(default="leaves")
    """Where searchers consult the oracle, and which scores the gate judges."""

    @at.validator
    def _leaves_finished_games(self, attribute: object, value: GatePlace) -> None:
        """Searched scores include those of finished games, 0 or beyond 1, about which no oracle is asked."""
        if value == "searched" and not 0 <= self.low <= self.high <= 1:
            raise ValueError("at = 'searched': needs limits from 0 to 1")

    @property
    def admits_all(self) -> bool:
        """Whether no score is excluded, so that only the place matters and no evaluator is needed."""
        return self.low < 0 and self.high > 1


@attrs.frozen(kw_only=True)
class OracleFunctions:
    """An oracle as `probe(od, s, out)` (kernel/abi.py), which resolves captures and never guesses."""

    probe: Callable[..., object]
    """Returns the value of a state, or UNKNOWN, and writes the distance."""
    data: "NDArray[np.uint64]"
    """The block `od`: the tables."""
    covers: str
    """What the oracle knows, such as "positions with up to 4 pieces"."""
    why_not: "Callable[[State], str]"
    """Says in words why a state is not covered."""
    gate: Gate | None = None
    """None: consulted wherever a searcher consults oracles. Gated oracles are consulted after the others."""
    compiled: bool = True
    """False: `probe` is called as plain Python."""
    scratch: int = 0
    """Words of workspace that probe needs, from out[PROBE_SCRATCH] on; each thread has its own."""


class Announce(Protocol):
    """A callback for the progress of a long preparation."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that `done` of `total` units of `what` are finished; if total is 0, `what` is a message."""
        ...


def silent(what: str, done: int, total: int) -> None:
    """Ignore the progress."""


class Oracle(Protocol):
    """An oracle component."""

    def open(self, rules: "Rules", announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Read or compute what the oracle needs, with `workers` threads; raises GameforgeError if that fails."""
        ...


@runtime_checkable
class SlowToOpen(Protocol):
    """An oracle whose first opening takes minutes, since it builds what later openings find.

    Commands in which a person waits for a move play without it, and let it be built in the background.
    """

    def missing(self, rules: "Rules") -> str:
        """Return what the next opening has to build, with its cost, such as "a database (3 min, 412 MB)"; "": nothing.

        The answer must be quick.
        """
        ...


@runtime_checkable
class KnowsLead(Protocol):
    """An oracle of a game that is won by a count of pieces, which knows by how many."""

    def lead(self, rules: "Rules", state: "State") -> int:
        """Return the lead of the side to move at the end, in the pieces of the game's `piece_odds`.

        The state is one that the oracle knows.
        """
        ...

    def lead_utilities(self, rules: "Rules", states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        """Return what this lead is worth for the side to move of each of states[N, words], as a label for learners.

        The values are utilities from -1 to 1, and NaN where the oracle does not know the lead.
        """
        ...


@attrs.frozen(kw_only=True)
class BookLines:
    """The lines of a book. While a game follows one of them, the player draws its next move from the book."""

    lines: "tuple[Opening, ...]"
    """All of them begin at the initial position."""
    by_lines: bool = False
    """True: draw a move with probability proportional to its number of lines. False: all moves are equally likely."""


@runtime_checkable
class Book(Protocol):
    """A book component."""

    def opening_lines(self, rules: "Rules") -> BookLines:
        """Return the lines for these rules; raises GameforgeError for rules of another game."""
        ...


@runtime_checkable
class Composite(Protocol):
    """A component that names other components or files in its parameters, and must load them before it can work."""

    def composed(self, registry: "Registry", rules: "Rules") -> Any:
        """Return the component of the same kind that does the work.

        Raises GameforgeError if a named component or file is unknown or does not fit the rules.
        """
        ...
