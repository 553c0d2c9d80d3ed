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
"""Where `out` holds what a search counted: out[STATISTICS] = how many moves of the root, then three words for each:
the move, its visits, the bits of its value (float64, -1 to 1, for the side to move at the root)."""


@attrs.frozen(kw_only=True)
class SearcherFunctions:
    """A searcher as `search(ctx, s, limits, out)` of the kernel's table."""

    search: Callable[..., Any]
    limits: tuple[int, ...]
    """The block `limits` (int64); limits[0] is the depth in plies, the rest is the searcher's own."""
    stack: int
    """Words of workspace that one search needs (ctx.stack)."""
    scores: int
    """float64 places of workspace that one search needs (ctx.scores)."""
    memory: "NDArray[np.uint64] | None" = None
    """The block ctx.memory: settings, and what is kept between moves."""
    bare: bool = False
    """Neither `search` nor its helpers make arrays or lists: it is entered and left much faster (jit.bare_kernel)."""
    statistics: bool = False
    """Whether the search writes STATISTICS. Those of a move that was played without a search are empty."""
    needs_evaluator: bool = False
    """Whether it makes no sense without an evaluator."""
    asks_gated: bool = False
    """Whether it asks gated oracles about the positions that it scores (kernel.evaluate.ask_gated)."""
    crew: Callable[..., Callable[[int], int]] | None = None
    """Makes ctx.crew, for a search that returns to Python in its course, of the player's table and the game's."""
    workers: int = 1
    """Threads in one search. Helpers run `search` on the same state and share `memory`; limits[-1] tells who is who."""


class Searcher(Protocol):
    """A search component: frozen parameters, from which a kernel is made for given rules."""

    def functions(self, rules: "RulesFunctions") -> SearcherFunctions: ...
