"""The searcher `random`: a random legal move, as in the simulations of `uct`."""

from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.answer import write_move, write_no_move
from gameforge.kernel.bits import at, below
from gameforge.kernel.context import DEPTH, NODES

_0, _1 = np.uint64(0), np.uint64(1)


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Write a random legal move; the score is 0."""
    moves = at(ctx.stack, _0)
    n = ctx.rules.gen(at(ctx.rules.data, _0), s, moves)
    ctx.control[DEPTH] = 0
    ctx.control[NODES] += 1
    if n == _0:
        write_no_move(out, _1)
    else:
        write_move(out, moves[below(at(ctx.rng, _0), n)], _1)
    return 0.0


@attrs.frozen(kw_only=True)
class RandomMover:
    """The component. It calls neither evaluator nor oracles, but a player follows an oracle's distances instead."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(search=search, limits=(0,), stack=rules.max_moves, scores=0)
