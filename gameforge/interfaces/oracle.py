"""Interface of oracles: exact knowledge about a position, or nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.rules import Rules, State

Value = Literal["win", "loss", "draw"]
GatePlace = Literal["leaves", "root"]
"""Positions about which gated oracles are asked: those that the evaluator scores at the ends of lines, or those after
the moves of the root."""


@attrs.frozen
class Verdict:
    """What an oracle knows of a position, for the side to move."""

    value: Value
    distance: int | None = None
    """Plies to the end with best play, None where the oracle holds no distances."""
    conversion: bool = False
    """True: the distance ends with the next irreversible move, not with the game."""

    def __str__(self) -> str:
        if self.distance is None:
            return self.value
        plies = f"{self.distance} pl{'y' if self.distance == 1 else 'ies'}"
        return f"{self.value}, next irreversible move in {plies}" if self.conversion else f"{self.value} in {plies}"


@attrs.frozen(kw_only=True)
class Gate:
    """A searcher asks only where low < |f| < high, f being the evaluator's score of the position."""

    low: float
    high: float
    at: GatePlace = "leaves"


@attrs.frozen(kw_only=True)
class OracleFunctions:
    """An oracle as `probe(od, s, out)` (kernel/abi.py), which resolves captures and never guesses."""

    probe: Callable[..., Any]
    data: "NDArray[np.uint64]"
    covers: str
    """What it knows, as "positions with up to 4 pieces"."""
    why_not: "Callable[[State], str]"
    """Why a state is not covered, in words."""
    gate: Gate | None = None
    """None: asked wherever a searcher asks oracles. Gated oracles are asked after the others."""
    compiled: bool = True
    scratch: int = 0
    """Words of workspace that probe needs, from out[PROBE_SCRATCH] on; each thread has its own."""


class Announce(Protocol):
    """How a long preparation reports its progress: (what, done, total); with total 0, `what` is a message."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Ignore the progress."""


class Oracle(Protocol):
    """An oracle component. `open` may read files or compute; it raises GameforgeError if it cannot."""

    def open(self, rules: "Rules", announce: Announce = silent, workers: int = 1) -> OracleFunctions: ...
