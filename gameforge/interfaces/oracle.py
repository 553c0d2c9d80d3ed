"""Interface of oracles: exact knowledge about a position, or nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.games import Opening
    from gameforge.interfaces.rules import Rules, State

Value = Literal["win", "loss", "draw"]
GatePlace = Literal["leaves", "root"]
"""Of which positions a gate asks: those that the evaluator scores at the ends of lines, or those behind the root's
moves."""


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
    """When a searcher asks: only where low < |f| < high, f being the evaluator's score of the position."""

    low: float
    high: float
    at: GatePlace = "leaves"


@attrs.frozen(kw_only=True)
class OracleFunctions:
    """An oracle as `probe(od, s, out)` of the kernel's table: resolves captures, never guesses."""

    probe: Callable[..., Any]
    data: "NDArray[np.uint64]"
    covers: str
    """What it knows, in words: `positions with up to 4 pieces`."""
    why_not: "Callable[[State], str]"
    """Why a state is not covered, in words."""
    book: "tuple[Opening, ...]" = ()
    """Lines from the initial position: its players follow them by the record of the game, and it is never probed."""
    book_by_lines: bool = False
    """Draw a move in proportion to the lines that go on with it. False: each different move is as likely."""
    gate: Gate | None = None
    """None: asked wherever a searcher asks. The oracles behind a gate are asked after the others."""
    compiled: bool = True
    scratch: int = 0
    """Words of workspace that probe needs in out[4 : 4 + scratch]; each thread has its own."""


class Announce(Protocol):
    """How a long preparation tells what it does: (what, done, total); total 0: to be read, there is no progress."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Announces nothing."""


class Oracle(Protocol):
    """An oracle component. `open` may read files or compute; it raises GameforgeError if it cannot."""

    def open(self, rules: "Rules", announce: Announce = silent, workers: int = 1) -> OracleFunctions: ...


def _knows_nothing(od: Any, s: Any, out: Any) -> Any:
    return 0


def _why_not_of_a_book(state: "State") -> str:
    return "a book knows the moves that continue the record of a game, not who wins"


def book_functions(lines: "tuple[Opening, ...]", covers: str, *, by_lines: bool = False) -> OracleFunctions:
    """An oracle that is nothing but a book: it knows moves, no values."""
    import numpy as np

    return OracleFunctions(
        probe=_knows_nothing,
        data=np.zeros(1, np.uint64),
        covers=covers,
        why_not=_why_not_of_a_book,
        book=lines,
        book_by_lines=by_lines,
    )
