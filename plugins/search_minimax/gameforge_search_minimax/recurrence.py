"""Draws by the course of the game, as a search sees them."""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)


@inline
def recurs(ctx: Any, keys: Any, past: Any, key: Any, ply: Any, since: Any) -> Any:
    """Whether the position with this key, `ply` plies from the root, counts as repeated.

    It does if it stood on the board in the line searched, because who could repeat once can do it
    again; and if it now occurs as often as the rules want (if they count repetitions), with the
    positions of the game, which end with the root: history[past]. `since`: plies without an irreversible move.
    """
    times = ctx.draws[0]
    seen = 1
    back = _2  # the same side is to move every other ply
    while back <= since:
        if back <= ply:
            if ctx.stack[keys + ply - back] == key:
                return True
        elif ctx.history[past + ply - back] == key:
            seen += 1
            if 0 < times <= seen:
                return True
        back += _2
    return False
