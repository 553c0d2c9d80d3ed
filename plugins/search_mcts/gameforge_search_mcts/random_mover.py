"""The searcher `random`: the default policy of simulations, as a player."""

from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.bits import at
from gameforge.kernel.context import DEPTH, NODES
from gameforge.kernel.random import below

_0, _1 = np.uint64(0), np.uint64(1)


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Draws a legal move; its score is 0. Where there is none, out[0] and the line are empty."""
    moves = at(ctx.stack, _0)
    n = ctx.rules.gen(at(ctx.rules.data, _0), s, moves)
    ctx.control[DEPTH] = 0
    ctx.control[NODES] += 1
    out[0], out[1], out[2] = _0, _1, _0
    if n != _0:
        move = moves[below(at(ctx.rng, _0), n)]
        out[0], out[2], out[3] = move, _1, move
    return 0.0


@attrs.frozen(kw_only=True)
class RandomMover:
    """No parameters. Needs no evaluator and asks no oracle (a player with an oracle that knows distances does)."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(search=search, limits=(0,), stack=rules.max_moves, scores=0)
