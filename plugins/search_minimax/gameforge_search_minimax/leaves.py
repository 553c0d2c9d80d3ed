"""What settles a position before its moves are searched: table, rules, oracles; the evaluator at the horizon."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.abi import RUNNING, UNKNOWN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PROBE_DISTANCE
from gameforge.kernel.evaluate import static_score
from gameforge.kernel.oracles import ask_gated, ask_oracles, gated_after_root, gated_at_leaves
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.recurrence import is_drawn
from gameforge_search_minimax.scores import finished, from_root, guided, kept, oracle_score, oracle_score_at_leaf
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
    """0 where nothing asks for it."""
    alpha: Any
    """Its window, for the side to move in it."""
    beta: Any


@inline
def probe_table(ctx: Any, options: Any, course: Any, child: Any, wants_exact: Any) -> Any:
    """(whether the table settles the child, score, index of its best move or NO_MOVE).

    A stored score counts only in a null window: a node of the principal variation is searched, so that its line is
    whole. It does not count next to a draw by the course of the game, of which the table knows nothing. `wants_exact`:
    an upper bound does not do.
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
    """(whether the child is settled, score, what an oracle knows of it), by its rules, the game's course or an oracle.

    An oracle that knows no distances and says of the child what it said of the root (`root_result`) settles nothing: if
    every move that keeps the result scored alike, the game would go round in circles.
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
    """What an oracle without distances says of the root; UNKNOWN also for one with distances."""
    known = ask_oracles(ctx, state)
    return known if ctx.oracle.out[PROBE_DISTANCE] == _0 else UNKNOWN


@inline
def at_horizon(ctx: Any, options: Any, child: Any, n: Any, noisy: Any, known: Any) -> Any:
    """(moves that quiescence searches, score of the child without them).

    With a quiet move among its n the side to move may stop here, so the static score is a lower bound. Noisy moves
    alone leave it no choice: then nothing is scored. Where an oracle knows the result, no move is searched.
    """
    searched = noisy if options.quiescence and child.ply < options.last_ply else _0
    if searched == n:
        return searched, -ABOVE_ALL
    score = _rounded(static_score(ctx.evaluator, child.state))
    if known != UNKNOWN:
        return _0, guided(known, score)
    if gated_at_leaves(ctx.oracle.gate):
        result = ask_gated(ctx, child.state, score)
        if result != UNKNOWN:
            return _0, oracle_score_at_leaf(result, ctx.oracle.out, child.ply, score, options.progress)
    return searched, score


@inline
def _rounded(score: Any) -> Any:
    """As the table holds it: scores do not change by being stored."""
    return np.float64(np.float32(score))
