"""Whether the transposition table still holds searches of the same game, which a selective search may read."""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PLIES, START
from gameforge_search_minimax.scores import kept
from gameforge_search_minimax.transposition import GAME_MOVES, GAME_PLIES, GAME_RESULT, GAME_START

_0, _1 = np.uint64(0), np.uint64(1)
_SCATTER = np.uint64(0x9E3779B97F4A7C15)


@inline
def continues_game(ctx: Any, root_result: Any) -> Any:
    """Whether the last search was of an earlier position of this game; notes the present position for the next time.

    Another position of the same ply, the same one again, a game with other moves or from another start begin afresh, so
    that an answer depends on the searches of its own game alone. So does a root of which an oracle says something else
    (`root_result`): scores depend on it (`judge` in leaves.py).
    """
    memory, plies = ctx.memory, np.uint64(ctx.counters[PLIES])
    start, result = np.uint64(ctx.counters[START]), np.uint64(kept(root_result, plies))
    before = memory[GAME_PLIES]  # of the last search, and 1; 0: there was none
    same = before != _0 and plies >= before and memory[GAME_START] == start and memory[GAME_RESULT] == result
    moves = _0
    for i in range(plies):
        if same and np.uint64(i) + _1 == before:
            same = moves == memory[GAME_MOVES]
        moves = (moves ^ ctx.played[i]) * _SCATTER
        moves ^= moves >> np.uint64(29)
    memory[GAME_PLIES], memory[GAME_MOVES], memory[GAME_START], memory[GAME_RESULT] = plies + _1, moves, start, result
    return same
