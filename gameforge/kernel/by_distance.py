"""Moves chosen by an oracle's distances, without a search.

To a searcher, all wins look alike that it cannot search to their end; an oracle that knows distances can rank them.
With it a player wins a won position within the distance that the oracle states, and holds out in a lost one for as long
as possible. Drawn positions, and oracles without distances, are left to the search.
"""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY
from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PROBE_CONVERSION, PROBE_DISTANCE, Context
from gameforge.kernel.oracles import ask_oracles

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def move_by_distance(ctx: Context, s: Any, out: Any) -> Any:
    """Choose a move by distance and write it into `out` like the answer of a search.

    Returns (whether there is such a move, its score for the side to move). ctx.stack needs room for a state and its
    moves.
    """
    known = ask_oracles(ctx, s)
    answer = ctx.oracle.out
    if known in (UNKNOWN, DRAW) or answer[PROBE_DISTANCE] == _0:
        return False, 0.0
    plies = answer[PROBE_DISTANCE] - _1
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
        if value in (UNKNOWN, DRAW) or answer[PROBE_DISTANCE] == _0:
            return False, 0.0
        distance = answer[PROBE_DISTANCE]
        if answer[PROBE_CONVERSION] and rules.irreversible(data, s, moves[i]):
            distance = _1
        if chosen == n or (distance < best if known == WIN else distance > best):
            chosen, best = np.uint64(i), distance
    if chosen == n:
        return False, 0.0
    write_move(out, moves[chosen], n)
    score = ORACLE_WIN - np.float64(plies) * PLY
    return True, score if known == WIN else -score
