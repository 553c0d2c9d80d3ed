"""The searcher `handicap`: another searcher, some of whose moves are replaced by random ones.

The other searcher runs in a kernel of its own, with the player's evaluator and oracles. Between the two, control
returns to Python, which takes some 0.1 ms per move.
"""

from collections.abc import Callable

import attrs
import numpy as np

from gameforge import Registry
from gameforge.interfaces import RUNNING, Rules, RulesFunctions, Searcher, SearcherFunctions, Spec, kinds
from gameforge.kernel import (
    U0,
    U1,
    CompiledPlayer,
    Context,
    GameWorkspace,
    Limits,
    Score,
    Words,
    answer,
    assembly,
    at,
    below,
    inline,
    search_by_crew,
    slots,
)

_search_by_crew = inline(search_by_crew)
_PARTS = 1 << 30
"""Unit of the share of random moves in `limits`."""
_RANDOM_MOVES = 1
"""Index in `limits`; index 0 is the depth."""


@attrs.frozen(kw_only=True)
class Handicap:
    """The component. A random move has the score 0; all legal moves are equally likely."""

    searcher: Spec = attrs.field(metadata={"component": "searcher"})
    """The searcher that finds the other moves."""
    random_moves: float = attrs.field(default=0.1, validator=kinds.between(0, 1))
    """Share of the moves that are drawn at random."""

    def composed(self, registry: Registry, rules: Rules) -> "Handicapped":
        inner = registry.create("searcher", self.searcher, rules.name)
        return Handicapped(registry.composed(inner, rules), self.random_moves)


@attrs.frozen
class Handicapped:
    """The searcher that `handicap` composes."""

    searcher: Searcher
    random_moves: float

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        inner = self.searcher.functions(rules)
        return SearcherFunctions(
            search=search,
            limits=(inner.limits[0], round(self.random_moves * _PARTS)),
            memory=1,
            statistics=inner.statistics,
            needs_evaluator=inner.needs_evaluator,
            asks_gated=inner.asks_gated,
            crew=lambda player, game: _crew(inner, player, game),
        )


def _crew(inner: SearcherFunctions, player: CompiledPlayer, game: GameWorkspace) -> Callable[[int], int]:
    """Make the function that lets the other searcher search."""
    other_search = assembly.inner_search(player, inner, game)

    def crew(command: int) -> int:
        player.context.scores[0] = other_search()
        return int(player.out[slots.OUT_NODES])

    return crew


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Write a random move, or let the other searcher write its answer and return its score."""
    rules, rng, moves = ctx.rules, at(ctx.rng, U0), at(ctx.stack, U0)
    n = rules.gen(at(rules.data, U0), s, moves)
    over = rules.outcome(at(rules.data, U0), s, n) != RUNNING
    if over or below(rng, np.uint64(_PARTS)) >= np.uint64(limits[_RANDOM_MOVES]):
        return _search_by_crew(ctx, s, limits, out)
    ctx.control[slots.DEPTH] = 0
    answer.write_move(out, moves[below(rng, n)], U1)
    return 0.0
