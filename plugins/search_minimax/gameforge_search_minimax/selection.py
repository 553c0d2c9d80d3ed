"""What a selective search saves: moves that are searched less deep, positions that are not searched at all.

The exact search (`selective=false`) calls nothing in here. Nothing is ever proven by what was left out: a bound on a
position that was not searched is the evaluator's score and a margin, which lies between a loss and a win.
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
"""Moves are reduced in nodes of this depth and above."""
LEAST_INTERNAL = np.uint64(4)
"""Nodes of this depth and above are reduced if the table has no move for them."""
MOST_FUTILE = np.uint64(3)
"""Positions of this depth and below may be left unsearched."""


def _reductions() -> Any:
    """Plies by which a move is reduced, by 64 * depth + moves tried before it; from the third move on."""
    depth, tried = np.log(np.maximum(np.indices((_SIZE, _SIZE)), 1))
    plies = np.floor(0.5 + depth * tried / 2.0).astype(np.uint64)
    plies[:, :2] = 0
    return plies.reshape(-1)


_REDUCTIONS = _reductions()


@inline
def reduction(options: Any, stack: Any, merit: Any, number: Any, left: Any, below: Any, is_pv: Any, best: Any) -> Any:
    """Plies less for the move with this merit, before which `number` moves of the node were tried.

    Late quiet moves are rarely the best. The child keeps at least a ply, and a side that has only found losses so far
    searches every move in full. `left` and `below`: depth of the node and of its children.
    """
    if not options.reductions or left < LEAST_REDUCED or best <= -WON or not is_quiet(stack, merit):
        return _0
    plies = _REDUCTIONS[(min(left, _LAST) << _SHIFT) + min(number, _LAST)]
    if is_pv and plies > _0:
        plies -= _1
    return min(plies, below - _1)


@inline
def internal_reduction(options: Any, left: Any, index: Any) -> Any:
    """A ply less for a position of which the table knows no move: its moves are badly ordered."""
    return _1 if options.internal and index == table.NO_MOVE and left >= LEAST_INTERNAL else _0


@inline
def is_futile(ctx: Any, options: Any, child: Any, noisy: Any, known: Any) -> Any:
    """(whether the child is not worth a search, score): close to the horizon, quiet and far outside of the window."""
    if options.futility == 0.0 or child.left > MOST_FUTILE or noisy != _0 or known != UNKNOWN:
        return False, 0.0
    if not is_null(child.alpha, child.beta) or abs(child.alpha) >= WON:
        return False, 0.0
    margin = options.futility * np.float64(child.left)
    score = np.float64(np.float32(static_score(ctx.evaluator, child.state)))
    if score - margin >= child.beta:
        return True, score - margin
    return score + margin <= child.alpha, score + margin
