"""Interface of searchers: position and limits -> move, score and line."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    from gameforge.interfaces.rules import RulesFunctions


@attrs.frozen(kw_only=True)
class SearcherFunctions:
    """A searcher as `search(ctx, s, limits, out)` (kernel/abi.py)."""

    search: Callable[..., object] | None = None
    """Writes the chosen move and returns its score for the side to move. None: `crew` finds them (kernel/crew.py)."""
    limits: tuple[int, ...] = (0,)
    """The block `limits` (int64): limits[DEPTH_LIMIT] is the depth in plies; the searcher defines the others."""
    stack: int = 0
    """uint64 words of workspace that one search needs (ctx.stack); there is always room for a state and its moves."""
    scores: int = 0
    """float64 elements of workspace that one search needs (ctx.scores); there is always room for one."""
    accumulators: int = 0
    """Number of accumulators that the search keeps for an evaluator that has them, such as one for each ply."""
    memory: int = 0
    """uint64 words of memory that is kept between the moves of a game (ctx.memory); zero when a game begins."""
    bare: bool = False
    """Whether `search` and its helpers allocate no arrays or lists, which makes calls much faster (jit.bare_kernel)."""
    statistics: bool = False
    """Whether the search writes slots.STATISTICS; they are empty for a move that is played without a search."""
    scored: bool = True
    """Whether the score says anything about a position in which nothing is proven; if not, people see none."""
    needs_evaluator: bool = False
    """Whether it cannot search without an evaluator."""
    evaluates: bool = True
    """Whether it may ask for scores of the evaluator; if not, the evaluator is not compiled for its games."""
    asks_gated: bool = False
    """Whether it consults gated oracles for the positions that it scores (kernel/oracles.py)."""
    asks_searched: bool = False
    """Whether it consults those whose gate judges the searched scores of the root's moves (`gated_after_root`)."""
    crew: Callable[..., Callable[[int], int]] | None = None
    """Makes ctx.crew from the compiled player and its game workspace, for a search that calls back into Python."""
    external: bool = False
    """Whether another program finds the moves. Its failures lose its games; those of any other player are raised."""
    unusable: tuple[type[Exception], ...] = ()
    """Failures of such a program after which no game can be played, so that they end a match."""
    disputes: tuple[type[Exception], ...] = ()
    """Failures by which such a program shows that it plays by other rules; they lose no game unless a match says so."""
    leaf: bool = False
    """Whether its line leads to the position whose static score is its score, so that learners can correct that. A
    line may end earlier where the game is over, an oracle knows the result, or a table knows the score."""
    recording: Callable[..., object] | None = None
    """A search with the same move and score that also hands out its inner nodes and their values, for learners, behind
    the `stack` words that it needs (kernel/answer.py, `hand_out`)."""
    workers: int = 1
    """Threads in one search. Helpers search the same state, with their number in limits[-1], and share `memory`."""


@runtime_checkable
class KeepsLogs(Protocol):
    """A searcher that can keep files about its games, such as the messages of an engine."""

    def keep_logs(self, folder: Path) -> None:
        """Keep such files in this folder from now on."""
        ...


class Searcher(Protocol):
    """A searcher component."""

    def functions(self, rules: "RulesFunctions") -> SearcherFunctions:
        """Return the searcher's functions and workspace for these rules."""
        ...
