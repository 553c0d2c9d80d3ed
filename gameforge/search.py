"""Interface of searchers: position and limits -> move, score, line."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.rules import RulesKernel

MAX_LINE = 125
"""Longest line that a search reports."""


@attrs.frozen(kw_only=True)
class SearchKernel:
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
    workers: int = 1
    """Threads in one search. Helpers run `search` on the same state and share `memory`; limits[-1] tells who is who."""


class Searcher(Protocol):
    """A search component: frozen parameters, from which a kernel is made for given rules."""

    def kernel(self, rules: "RulesKernel") -> SearchKernel: ...
