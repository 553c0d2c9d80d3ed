"""Progress in a won ending whose result an oracle knows without distances.

By the oracle all moves that keep the win are equal. The search then looks for the nearest conversion, a move that
cannot be undone, after which the ending is still won. Every game has only so many of them, so a player who always finds
the next one wins. Positions after a conversion are scored and not searched. Until one is found, the search continues
beyond its depth, and positions at the horizon are worth the same, so that almost all moves are refuted at once. The
first, shallow iterations are guided by the evaluator; they choose the move if no conversion is in reach.

A conversion that costs the winner something, such as a piece, or a step of the other side's man, is left for later.
Some endings have no other, so the selective search accepts it once the last conversion is LONG plies ago.
"""

from typing import Any, NamedTuple

import numpy as np

from gameforge.interfaces.evaluator import PLY, WON
from gameforge.kernel.abi import UNKNOWN, WIN
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_score
from gameforge_search_minimax.scores import guided

_0, _1 = np.uint64(0), np.uint64(1)
GUIDED_DEPTH = np.uint64(7)
"""Depth of the deepest iteration that the evaluator guides."""
PATIENCE = np.uint64(1 << 20)
"""Nodes at which a search beyond its depth stops."""
_DEEPEST = np.uint64(60)
_SPARE = np.uint64(16)
"""Plies that remain for quiescence at the greatest depth."""
_CONVERTED, _HORIZON = WON + 0.5, WON + 0.25
"""Scores of a win after a conversion, and at the horizon."""
_COSTLY, _COSTLY_AT_LAST = WON + 0.125, WON + 0.375
"""Scores of a win after a conversion that costs the winner something, and when the last one was LONG plies ago."""
LONG = np.uint64(32)
"""Plies without a conversion after which the selective search accepts a cost."""
_WEIGHT = 0.12
"""Weight of the evaluator's score at the horizon; less than the distances between the scores above."""
_MOST_PLIES = 256
_COST = 2.0**-6
"""By how much less the evaluator likes a position after a conversion that costs something."""


class Ending(NamedTuple):
    """The facts of the root that a conversion search needs."""

    won: Any
    """Whether the search looks for conversions."""
    static: Any
    """The evaluator's score of the root."""
    costly: Any
    """Score of a conversion that costs the winner something."""


@inline
def ending_of(ctx: Any, options: Any, course: Any, root: Any, root_result: Any) -> Any:
    """Return the ending at the root; root_result: its result by an oracle without distances."""
    won = options.convert and course.counts and root_result == WIN
    # The exact search never accepts a cost: it stays as the papers' results were made.
    since = course.past - _1
    costly = _COSTLY_AT_LAST if options.selective and since >= LONG else _COSTLY
    return Ending(won, static_score(ctx.evaluator, root) if won else 0.0, costly)


@inline
def judge_conversion(ctx: Any, ending: Any, child: Any, noisy: Any, known: Any) -> Any:
    """Settle a position after a conversion that keeps the win; returns (whether settled, score).

    known: the child's result if it confirms the root's, else UNKNOWN. Before noisy moves nothing is settled, because
    the position may be in the middle of an exchange.
    """
    if not ending.won or known == UNKNOWN or child.since != _0 or noisy != _0:
        return False, 0.0
    static = static_score(ctx.evaluator, child.state)
    wins = known == WIN
    score = _CONVERTED if (static if wins else -static) > ending.static - _COST else ending.costly
    score -= np.float64(child.ply) * PLY
    return True, score if wins else -score


@inline
def score_at_horizon(ending: Any, depth: Any, known: Any, static: Any) -> Any:
    """Return the score of a position at the horizon of the iteration to `depth`, with its result and static score."""
    if not ending.won:
        return guided(known, static)
    score = _HORIZON if known == WIN else -_HORIZON
    return score + _WEIGHT * static if depth <= GUIDED_DEPTH else score


@inline
def is_converted(ending: Any, value: Any) -> Any:
    """Whether the search has found a conversion, or a win with a known distance."""
    return ending.won and value > _CONVERTED - _MOST_PLIES * PLY


@inline
def reach(options: Any, ending: Any) -> Any:
    """Return the depth at which the search ends: beyond its limit while it looks for a conversion."""
    if not ending.won:
        return options.depth
    return max(options.depth, min(options.last_ply - _SPARE, _DEEPEST))


@inline
def most_nodes(options: Any, depth: Any) -> Any:
    """Return the number of nodes at which an iteration to `depth` stops."""
    return options.nodes if depth <= options.depth else min(options.nodes, PATIENCE)
