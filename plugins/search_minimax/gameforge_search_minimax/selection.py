"""The choices of a selective search: which moves get a reduced depth, and which positions are not searched.

The exact search (`selective=false`) uses none of these functions. A proven win or loss remains a proof: the score of a
position that is not searched is heuristic, and a reduced search proves a result only by reaching the end of the game.
"""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import WON
from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_score
from gameforge_search_minimax.ordering import is_quiet
from gameforge_search_minimax.windows import FULL_AGAIN, UNREDUCED, is_null
from gameforge_search_minimax.workspace import BELOW, FRAME, LEFT, WINDOW, first_move

_0, _1 = np.uint64(0), np.uint64(1)
_SIZE = 64
_LAST, _SHIFT = np.uint64(_SIZE - 1), np.uint64(6)
LEAST_REDUCED = np.uint64(3)
"""Minimum depth of a node whose late moves are reduced."""
MOST_FUTILE = np.uint64(3)
"""Maximum depth of a position that may be left unsearched."""


def _reductions() -> Any:
    """Reductions in plies; the index is 64 * depth + number of moves tried before. The first two moves keep theirs."""
    depth, tried = np.log(np.maximum(np.indices((_SIZE, _SIZE)), 1))
    plies = np.floor(0.5 + depth * tried / 2.0).astype(np.uint64)
    plies[:, :2] = 0
    return plies.reshape(-1)


_REDUCTIONS = _reductions()


@inline
def reduction(options: Any, stack: Any, layout: Any, ply: Any, here: Any, is_pv: Any, best: Any) -> Any:
    """Number of plies by which to reduce the move at `here` of the node at `ply`, whose best score is `best`.

    Only quiet moves are reduced, unless they are searched again, and only if a move that does not lose has been found.
    The child keeps a depth of 1 or more.
    """
    frame = layout.frames + ply * FRAME
    left, below = stack[frame + LEFT], stack[frame + BELOW]
    if not options.reductions or left < LEAST_REDUCED or best <= -WON or not is_quiet(stack, here + layout.merits):
        return _0
    if stack[frame + WINDOW] in (FULL_AGAIN, UNREDUCED):
        return _0
    number = here - first_move(stack, layout, ply)
    plies = _REDUCTIONS[(min(left, _LAST) << _SHIFT) + min(number, _LAST)]
    if is_pv and plies > _0:
        plies -= _1
    return min(plies, below - _1)


@inline
def is_futile(ctx: Any, options: Any, child: Any, noisy: Any, known: Any) -> Any:
    """(whether the child can be left unsearched, its score).

    That is so for quiet positions near the horizon whose static score is outside the null window by a margin.
    """
    if options.futility == 0.0 or child.left > MOST_FUTILE or noisy != _0 or known != UNKNOWN:
        return False, 0.0
    if not is_null(child.alpha, child.beta) or abs(child.alpha) >= WON:
        return False, 0.0
    margin = options.futility * np.float64(child.left)
    score = np.float64(np.float32(static_score(ctx.evaluator, child.state)))
    if score - margin >= child.beta:
        return True, score - margin
    return score + margin <= child.alpha, score + margin
