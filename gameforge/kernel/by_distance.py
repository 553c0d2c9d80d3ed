"""The move that an oracle with distances plays, without a search.

A searcher takes all wins that it sees for equal (or finds one within its depth); an oracle that knows how far the end
is breaks the tie. So a position that it calls won is won by it, in the distance that it states. A
lost position is held for as long as possible. Drawn positions, and oracles without distances, are left to the search.
"""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY
from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import Context
from gameforge.kernel.evaluate import ask_oracles

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def move_by_distance(ctx: Context, s: Any, out: Any) -> Any:
    """(whether there is one, score); if so, `out` is written as a search writes it (abi.py).

    Needs room for a state and its moves in ctx.stack.
    """
    known = ask_oracles(ctx, s)
    answer = ctx.oracle.out
    if known in (UNKNOWN, DRAW) or answer[0] == _0:
        return False, 0.0
    plies = answer[0] - _1
    rules = ctx.rules
    data, child, moves = at(rules.data, _0), at(ctx.stack, _0), at(ctx.stack, rules.words)
    n = rules.gen(data, s, moves)
    chosen = n
    best = _0
    for i in range(n):
        rules.play(data, s, moves[i], child)
        value = ask_oracles(ctx, child)
        if known == WIN and value != LOSS:
            continue
        if value in (UNKNOWN, DRAW) or answer[0] == _0:
            return False, 0.0
        distance = answer[0]
        if answer[1] and rules.irreversible(data, s, moves[i]):
            distance = _1
        if chosen == n or (distance < best if known == WIN else distance > best):
            chosen, best = np.uint64(i), distance
    if chosen == n:
        return False, 0.0
    out[0], out[1], out[2], out[3] = moves[chosen], n, _1, moves[chosen]
    score = ORACLE_WIN - np.float64(plies) * PLY
    return True, score if known == WIN else -score
