"""The choices of a selective search: which moves get a reduced depth, and which positions are not searched.

The exact search (`selective=false`) uses none of these functions. A proven win or loss remains a proof: the score of a
position that is not searched is heuristic, and a reduced search proves a result only by reaching the end of the game.
"""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import WON
from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax.evaluation_cache import cached_score
from gameforge_search_minimax.ordering import history_of, is_quiet
from gameforge_search_minimax.sharing import LEAST_DEPTH
from gameforge_search_minimax.windows import FULL_AGAIN, UNREDUCED, is_null
from gameforge_search_minimax.workspace import BELOW, FRAME, LEFT, WINDOW, first_move

_0, _1 = np.uint64(0), np.uint64(1)
_SIZE = 64
_LAST, _SHIFT = np.uint64(_SIZE - 1), np.uint64(6)
_UNREDUCED_MOVES = np.uint64(2)
"""The first moves of a node keep their depth."""
LEAST_REDUCED = np.uint64(3)
"""Minimum depth of a node whose late moves are reduced."""
_BAD_HISTORY, _GOOD_HISTORY = np.int64(-1500), np.int64(3000)
"""Quiet moves whose history is below are reduced by a ply more, those whose history is above by a ply less."""
LATE_PLIES = np.uint64(3)
"""Maximum depth of a node whose late moves are left out."""
_MOVES_AT_0 = np.uint64(3)
"""A node of depth d has this number plus d squared moves before the late ones."""


def _reduction_shape() -> Any:
    """1 + ln(depth) ln(number of moves tried before); the index is 64 * depth + that number."""
    depth, tried = np.log(np.maximum(np.indices((_SIZE, _SIZE)), 1))
    return (1.0 + depth * tried).reshape(-1)


_SHAPE = _reduction_shape()


@inline
def reduction(options: Any, stack: Any, layout: Any, ply: Any, here: Any, is_pv: Any, best: Any) -> Any:
    """Number of plies by which to reduce the move at `here` of the node at `ply`, whose best score is `best`.

    Only quiet moves are reduced, unless they are searched again, and only if a move that does not lose has been found.
    The child keeps a depth of 1 or more.
    """
    frame = layout.frames + ply * FRAME
    left, below = stack[frame + LEFT], stack[frame + BELOW]
    if options.reductions == 0.0 or left < LEAST_REDUCED or best <= -WON or not is_quiet(stack, here + layout.merits):
        return _0
    if stack[frame + WINDOW] in (FULL_AGAIN, UNREDUCED):
        return _0
    number = here - first_move(stack, layout, ply)
    if number < _UNREDUCED_MOVES:
        return _0
    plies = np.uint64(options.reductions * _SHAPE[(min(left, _LAST) << _SHIFT) + min(number, _LAST)])
    if options.penalties:
        history = history_of(stack, stack[here], ply, layout.history)
        if history < _BAD_HISTORY:
            plies += _1
        elif history > _GOOD_HISTORY and plies > _0:
            plies -= _1
    if is_pv and plies > _0:
        plies -= _1
    return min(plies, below - _1)


@inline
def leaves_rest(options: Any, stack: Any, layout: Any, ply: Any, here: Any, is_pv: Any, best: Any) -> Any:
    """Whether the move at `here` and those after it are left out: late quiet moves of a node close to the horizon.

    No move is left out on the principal variation, or before a move has been found that does not lose.
    """
    left = stack[layout.frames + ply * FRAME + LEFT]
    if not options.late_pruning or is_pv or left == _0 or left > LATE_PLIES or best <= -WON:
        return False
    # A move that was put off, because another thread searches it, looks quiet, but it has to be searched.
    if options.shares and left >= LEAST_DEPTH:
        return False
    late = here - first_move(stack, layout, ply) >= _MOVES_AT_0 + left * left
    return late and is_quiet(stack, here + layout.merits)


@inline
def is_futile(ctx: Any, options: Any, child: Any, noisy: Any, known: Any) -> Any:
    """(whether the child can be left unsearched, its score).

    That is so for quiet positions near the horizon whose static score is outside the null window by a margin.
    """
    if options.futility == 0.0 or child.left > options.futility_plies or noisy != _0 or known != UNKNOWN:
        return False, 0.0
    if not is_null(child.alpha, child.beta) or abs(child.alpha) >= WON:
        return False, 0.0
    margin = options.futility * np.float64(child.left)
    score = cached_score(ctx, options, child)
    if score - margin >= child.beta:
        return True, score - margin
    return score + margin <= child.alpha, score + margin
