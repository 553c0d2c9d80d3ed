"""Settle a position before its moves are searched: by table, rules or oracles, or at the horizon by the evaluator."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.abi import RUNNING, UNKNOWN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PROBE_DISTANCE
from gameforge.kernel.evaluate import static_score
from gameforge.kernel.oracles import ask_gated, ask_oracles, gated_after_root, gated_at_leaves
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.conversion import score_at_horizon
from gameforge_search_minimax.evaluation_cache import cached_score
from gameforge_search_minimax.recurrence import is_drawn
from gameforge_search_minimax.scores import (
    finished,
    from_root,
    kept,
    oracle_score,
    oracle_score_at_leaf,
)
from gameforge_search_minimax.windows import ABOVE_ALL, is_null

_0, _1 = np.uint64(0), np.uint64(1)


class Child(NamedTuple):
    """The position after the move that is being tried."""

    state: Any
    ply: Any
    left: Any
    """Depth left for it; 0 at the horizon."""
    since: Any
    """Plies without an irreversible move."""
    key: Any
    """Key of the position, 0 if it is not needed."""
    alpha: Any
    """Lower bound of the window, for the side to move in the position; `beta` is the upper bound."""
    beta: Any


@inline
def probe_table(ctx: Any, options: Any, course: Any, child: Any, wants_exact: Any) -> Any:
    """Look up the child in the table; returns (whether it is settled, score, index of its best move or NO_MOVE).

    A stored score counts only in a null window: nodes of the principal variation are searched, so that the line is
    complete. It does not count if the child is a draw by the history of the game, which the table does not know. With
    `wants_exact`, an upper bound is not sufficient.
    """
    entry = table.find(ctx.memory, options.table_bits, child.key)
    if entry == _0:
        return False, 0.0, table.NO_MOVE
    index = table.index_of(entry)
    null = is_null(child.alpha, child.beta)
    if not null or is_drawn(course, child.ply, child.since) or table.depth_of(entry) < child.left:
        return False, 0.0, index
    score, bound = from_root(table.score_of(entry), child.ply), table.bound_of(entry)
    settled = (
        bound == table.EXACT
        or (bound == table.LOWER and score >= child.beta)
        or (bound == table.UPPER and score <= child.alpha and not wants_exact)
    )
    return settled, score, index


@inline
def judge(ctx: Any, course: Any, child: Any, n: Any, root_result: Any) -> Any:
    """Settle the child by the rules, the game's history or an oracle; returns (whether settled, score, its result).

    The result is an oracle's, UNKNOWN if there is none. A result without a distance that merely confirms that of the
    root (`root_result`) settles nothing: all moves that keep the result would score the same, and the game would go
    round in circles.
    """
    code = ctx.rules.outcome(at(ctx.rules.data, _0), child.state, n)
    if code != RUNNING:
        return True, finished(code & 3, child.ply), UNKNOWN
    if is_drawn(course, child.ply, child.since):
        return True, 0.0, UNKNOWN
    known = ask_oracles(ctx, child.state)
    if known == UNKNOWN and gated_after_root(ctx.oracle.gate, child.ply):
        known = ask_gated(ctx, child.state, static_score(ctx.evaluator, child.state))
    answer = ctx.oracle.out
    if known != UNKNOWN and not (answer[PROBE_DISTANCE] == _0 and known == kept(root_result, child.ply)):
        return True, oracle_score(known, answer, child.ply), known
    return False, 0.0, known


@inline
def result_without_distance(ctx: Any, state: Any) -> Any:
    """Result of the root by an oracle without distances; UNKNOWN if there is none, or if it has a distance."""
    known = ask_oracles(ctx, state)
    return known if ctx.oracle.out[PROBE_DISTANCE] == _0 else UNKNOWN


@inline
def at_horizon(ctx: Any, options: Any, ending: Any, depth: Any, child: Any, n: Any, noisy: Any, known: Any) -> Any:
    """Score a child at the horizon; returns (number of moves for quiescence to search, score without them).

    If one of its n moves is quiet, the side to move may stop here, so the static score is a lower bound. If all moves
    are noisy it must choose one of them, so there is no score. If an oracle knows the result, no moves are searched.
    """
    searched = noisy if options.quiescence and child.ply < options.last_ply else _0
    if searched == n:
        return searched, -ABOVE_ALL
    score = cached_score(ctx, options, child)
    if known != UNKNOWN:
        return _0, score_at_horizon(ending, depth, known, score)
    if gated_at_leaves(ctx.oracle.gate):
        result = ask_gated(ctx, child.state, score)
        if result != UNKNOWN:
            return _0, oracle_score_at_leaf(result, ctx.oracle.out, child.ply, score, options.progress)
    return searched, score
