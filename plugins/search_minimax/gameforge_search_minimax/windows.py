"""Principal variation search: which window a move is searched with (Marsland and Campbell 1982; Reinefeld 1983).

The first move of a node on the principal variation gets the full window. The others only have to be shown worse: they
get a null window, too narrow for any score to lie in, and a second search with the full window if that shows them to
be better.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax.workspace import NEXT, WINDOW

FULL, NULL, FULL_AGAIN = (np.uint64(i) for i in range(3))
"""Windows of the child that is searched; FULL_AGAIN: a null window has shown that it needs the full one."""
ABOVE_ALL = 4.0
LEAST = 2.0**-30
"""Width of a null window: no two float32 scores that matter are closer."""


@inline
def window_for_next(is_pv: Any, best: Any, window: Any) -> Any:
    """Window of the next move, or of the one that is searched again; `best` is the score of those before it."""
    if window == FULL_AGAIN:
        return FULL
    return NULL if is_pv and best > -ABOVE_ALL else FULL


@inline
def bounds_of_child(alpha: Any, beta: Any, window: Any) -> Any:
    """(alpha, beta) of a child, for the side to move there."""
    if window == NULL:
        return -alpha - LEAST, -alpha
    return -beta, -alpha


@inline
def is_null(lower: Any, upper: Any) -> Any:
    return upper - lower <= 2 * LEAST


@inline
def search_again(stack: Any, frame: Any, here: Any, score: Any, alpha: Any, beta: Any) -> Any:
    """Whether the move at `here`, searched with the null window, needs the full one; if so, it is the next again."""
    again = stack[frame + WINDOW] == NULL and alpha < score < beta
    if again:
        stack[frame + NEXT], stack[frame + WINDOW] = here, FULL_AGAIN
    return again
