"""The windows of principal variation search (T. A. Marsland and M. Campbell 1982; A. Reinefeld 1983).

The first move of a node on the principal variation is searched with the full window. The others get a null window,
which is too narrow for any score to lie inside, to show that they are not better. If that fails, they are searched
again with the full window. A selective search tries late moves with a null window and a reduced depth first.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax.workspace import NEXT, WINDOW

FULL, NULL, FULL_AGAIN, REDUCED, UNREDUCED, PROBED = (np.uint64(i) for i in range(6))
"""Windows of the child that is searched. FULL_AGAIN: after a null window, it needs the full one. REDUCED: a null window
and a reduced depth. UNREDUCED: after a reduced depth, it needs the full one. PROBED: a probe decided nothing."""
PROBE_ABOVE, PROBE_BELOW = np.uint64(8), np.uint64(16)
"""Added to a window while a shallow probe takes its place (probcut.py)."""
ABOVE_ALL = 4.0
LEAST = 2.0**-30
"""Width of a null window: no two float32 scores that matter are closer."""


@inline
def window_for_next(is_pv: Any, best: Any, window: Any) -> Any:
    """Window of the next move, or of the move to be searched again; `best` is the best score of the moves before it."""
    if window == FULL_AGAIN:
        return FULL
    return NULL if is_pv and best > -ABOVE_ALL else FULL


@inline
def is_again(options: Any, window: Any) -> Any:
    """Whether the node's next move is its previous move, which has to be searched again."""
    return window == FULL_AGAIN or (options.selective and window in (UNREDUCED, PROBED))


@inline
def bounds_of_child(alpha: Any, beta: Any, window: Any) -> Any:
    """(alpha, beta) of a child, for the side to move there."""
    if window in (NULL, REDUCED):
        return -alpha - LEAST, -alpha
    return -beta, -alpha


@inline
def is_null(lower: Any, upper: Any) -> Any:
    """Whether a window is a null window."""
    return upper - lower <= 2 * LEAST


@inline
def search_again(stack: Any, frame: Any, here: Any, score: Any, alpha: Any, beta: Any) -> Any:
    """Whether the move at `here`, searched with the null window, needs the full one; if so, make it the next move."""
    again = stack[frame + WINDOW] == NULL and alpha < score < beta
    if again:
        stack[frame + NEXT], stack[frame + WINDOW] = here, FULL_AGAIN
    return again


@inline
def search_deeper(stack: Any, frame: Any, here: Any, score: Any, alpha: Any) -> Any:
    """Whether the move at `here` was reduced and needs the full depth; if so, it becomes the next move again."""
    again = stack[frame + WINDOW] == REDUCED and score > alpha
    if again:
        stack[frame + NEXT], stack[frame + WINDOW] = here, UNREDUCED
    return again
