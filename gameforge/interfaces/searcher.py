"""Interface of searchers: position and limits -> move, score, line."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.rules import RulesFunctions

MAX_LINE = 125
"""Longest line that a search reports."""
STATISTICS = 3 + MAX_LINE
"""Place in `out` of the number of root moves that a search has counted; their statistics follow (kernel/answer.py): the
move, its visits, its mean result (-1 to 1, for the side to move at the root)."""


@attrs.frozen(kw_only=True)
class SearcherFunctions:
    """A searcher as `search(ctx, s, limits, out)` (kernel/abi.py)."""

    search: Callable[..., Any]
    limits: tuple[int, ...]
    """The block `limits` (int64); limits[DEPTH_LIMIT] is the depth in plies, the rest is the searcher's own."""
    stack: int
    """Words of workspace that one search needs (ctx.stack)."""
    scores: int
    """float64 places of workspace that one search needs (ctx.scores)."""
    memory: "NDArray[np.uint64] | None" = None
    """The block ctx.memory: settings, and what is kept between moves."""
    bare: bool = False
    """Neither `search` nor its helpers make arrays or lists: it is entered and left much faster (jit.bare_kernel)."""
    statistics: bool = False
    """Whether the search writes STATISTICS; those of a move that is played without a search are empty."""
    needs_evaluator: bool = False
    """Whether it needs an evaluator."""
    asks_gated: bool = False
    """Whether it asks gated oracles about the positions that it scores (kernel/oracles.py)."""
    crew: Callable[..., Callable[[int], int]] | None = None
    """Makes ctx.crew of the compiled player and its game workspace, for a search that returns to Python on its way."""
    workers: int = 1
    """Threads in one search. Helpers search the same state, with their number in limits[-1], and share `memory`."""


class Searcher(Protocol):
    """A searcher component: frozen parameters, from which `functions` makes the descriptor for given rules."""

    def functions(self, rules: "RulesFunctions") -> SearcherFunctions: ...
