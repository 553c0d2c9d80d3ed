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
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.ordering import is_quiet
from gameforge_search_minimax.windows import is_null

_0, _1 = np.uint64(0), np.uint64(1)
_SIZE = 64
_LAST, _SHIFT = np.uint64(_SIZE - 1), np.uint64(6)
LEAST_REDUCED = np.uint64(3)
"""Minimum depth of a node whose late moves are reduced."""
LEAST_INTERNAL = np.uint64(4)
"""Minimum depth of a position that is reduced if the table has no move for it."""
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
def reduction(options: Any, stack: Any, merit: Any, number: Any, left: Any, below: Any, is_pv: Any, best: Any) -> Any:
    """Number of plies by which to reduce the move with this merit, after `number` other moves of the node.

    Only quiet moves are reduced, and only if a move that does not lose has been found. The child keeps a depth of 1 or
    more. `left` and `below` are the depths of the node and of its children.
    """
    if not options.reductions or left < LEAST_REDUCED or best <= -WON or not is_quiet(stack, merit):
        return _0
    plies = _REDUCTIONS[(min(left, _LAST) << _SHIFT) + min(number, _LAST)]
    if is_pv and plies > _0:
        plies -= _1
    return min(plies, below - _1)


@inline
def internal_reduction(options: Any, left: Any, index: Any) -> Any:
    """Number of plies by which to reduce a position of depth `left` whose best move in the table is `index`."""
    return _1 if options.internal and index == table.NO_MOVE and left >= LEAST_INTERNAL else _0


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
