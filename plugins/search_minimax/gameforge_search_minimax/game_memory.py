"""Recognises whether a search belongs to the same game as the previous one, so that it may read that one's entries."""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PLIES, START
from gameforge_search_minimax.hashing import SCATTER
from gameforge_search_minimax.scores import kept
from gameforge_search_minimax.transposition import GAME_MOVES, GAME_PLIES, GAME_RESULT, GAME_START

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def continues_game(ctx: Any, root_result: Any) -> Any:
    """Whether the previous search was of an earlier position of this game; records this position for the next search.

    The answer is no for an earlier or the same ply, other moves and another starting position, so a search depends only
    on the earlier searches of its game. It is also no if an oracle's result for the root (`root_result`) has changed,
    since the scores of other positions depend on that result (`judge` in leaves.py).
    """
    memory, plies = ctx.memory, np.uint64(ctx.counters[PLIES])
    start, result = np.uint64(ctx.counters[START]), np.uint64(kept(root_result, plies))
    before = memory[GAME_PLIES]  # 1 + the ply of the previous search; 0: there was none
    same = before != _0 and plies >= before and memory[GAME_START] == start and memory[GAME_RESULT] == result
    moves = _0
    for i in range(plies):
        if same and np.uint64(i) + _1 == before:
            same = moves == memory[GAME_MOVES]
        moves = (moves ^ ctx.played[i]) * SCATTER
        moves ^= moves >> np.uint64(29)
    memory[GAME_PLIES], memory[GAME_MOVES], memory[GAME_START], memory[GAME_RESULT] = plies + _1, moves, start, result
    return same
