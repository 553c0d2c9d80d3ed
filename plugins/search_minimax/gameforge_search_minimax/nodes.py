"""Enter a node, pick its moves one by one, and finish it."""

from typing import Any

import numpy as np

from gameforge.kernel.bits import at, position_key
from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.ordering import (
    bring_forward,
    is_put_off,
    put_off,
    rate,
    refuted,
    refuted_after,
)
from gameforge_search_minimax.scores import from_here
from gameforge_search_minimax.sharing import LEAST_DEPTH, announce, is_busy, withdraw
from gameforge_search_minimax.windows import ABOVE_ALL, FULL
from gameforge_search_minimax.workspace import (
    ALPHA,
    BELOW,
    BEST,
    BETA,
    BOUNDS,
    END,
    FLOOR,
    FRAME,
    IS_PV,
    LEFT,
    NEXT,
    SCORE,
    SINCE,
    WINDOW,
    first_move,
    killers_at,
)

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def noisy_moves(rules: Any, state: Any, moves: Any, n: Any) -> Any:
    """Move the noisy moves to the front; returns their number."""
    return rules.noisy(at(rules.data, _0), state, moves, n) if rules.has_noisy != _0 else _0


@inline
def enter_root(ctx: Any, layout: Any, course: Any, depth: Any, best: Any) -> None:
    """Begin an iteration: rate the root's moves, the one with index `best` first, and open the window."""
    rules, stack, scores = ctx.rules, ctx.stack, ctx.scores
    root, moves = at(stack, _0), at(stack, layout.moves)
    n = rules.gen(at(rules.data, _0), root, moves)
    noisy = noisy_moves(rules, root, moves, n)
    rate(stack, layout.moves, layout.moves + layout.merits, n, noisy, best, _0, killers_at(layout, _0), layout.history)
    frame = layout.frames
    stack[frame + NEXT], stack[frame + END] = layout.moves, layout.moves + n
    stack[frame + LEFT], stack[frame + BELOW] = depth, depth - _1
    stack[frame + SINCE], stack[frame + BEST] = course.past - _1, table.NO_MOVE
    stack[frame + IS_PV], stack[frame + WINDOW] = _1, FULL
    scores[SCORE], scores[ALPHA], scores[BETA], scores[FLOOR] = -ABOVE_ALL, -ABOVE_ALL, ABOVE_ALL, -ABOVE_ALL


@inline
def enter_child(
    ctx: Any,
    layout: Any,
    course: Any,
    child: Any,
    moves: Any,
    n: Any,
    noisy: Any,
    searched: Any,
    score: Any,
    is_pv: Any,
    extended: Any,
    best: Any,
) -> None:
    """Make the child the current node; the first `searched` of its n moves, which begin at `moves`, are to be tried.

    `score` is what the side to move can have without them. `extended`: the child's only move takes no depth. In
    quiescence (no depth left) moves stay in the order of the rules, because they are few and not rated.
    """
    stack, scores = ctx.stack, ctx.scores
    frame, bounds = layout.frames + child.ply * FRAME, child.ply * BOUNDS
    stack[frame + NEXT], stack[frame + END] = moves, moves + searched
    stack[frame + LEFT], stack[frame + SINCE] = child.left, child.since
    stack[frame + BELOW] = child.left if extended or child.left == _0 else child.left - _1
    stack[frame + BEST], stack[frame + WINDOW] = table.NO_MOVE, FULL
    stack[frame + IS_PV] = _1 if is_pv else _0
    scores[bounds + SCORE], scores[bounds + ALPHA] = score, max(child.alpha, score)
    scores[bounds + BETA], scores[bounds + FLOOR] = child.beta, child.alpha
    if child.left != _0:
        stack[layout.keys + child.ply] = child.key
        killers = killers_at(layout, child.ply)
        rate(stack, moves, moves + layout.merits, n, noisy, best, child.ply, killers, layout.history)
    elif course.repetitions:
        stack[layout.keys + child.ply] = position_key(ctx.rules, at(ctx.rules.data, _0), child.state)


@inline
def pick_move(ctx: Any, options: Any, layout: Any, frame: Any, ply: Any, best: Any) -> Any:
    """Bring the best of the remaining moves to the front. If another thread searches it, put it off and return False.

    The first move of a node is never put off, because its score sets the window of the others.
    """
    stack = ctx.stack
    here, left = stack[frame + NEXT], stack[frame + LEFT]
    merit = here + layout.merits
    if left != _0:
        bring_forward(stack, layout.merits, here, stack[frame + END])
    may_wait = options.shares and left >= LEAST_DEPTH and best > -ABOVE_ALL and not is_put_off(stack, merit)
    if may_wait and is_busy(ctx.memory, stack[layout.keys + ply], stack[here]):
        put_off(stack, merit)
        return False
    return True


@inline
def announce_move(ctx: Any, options: Any, layout: Any, frame: Any, ply: Any, move: Any) -> None:
    """Announce to the other threads of the search that this one searches the move."""
    if options.shares and ctx.stack[frame + LEFT] >= LEAST_DEPTH:
        announce(ctx.memory, ctx.stack[layout.keys + ply], move)


@inline
def withdraw_move(ctx: Any, options: Any, layout: Any, frame: Any, ply: Any, move: Any) -> None:
    """Withdraw the announcement once the move has been searched."""
    if options.shares and ctx.stack[frame + LEFT] >= LEAST_DEPTH:
        withdraw(ctx.memory, ctx.stack[layout.keys + ply], move)


@inline
def finish_node(ctx: Any, options: Any, layout: Any, ply: Any) -> None:
    """Store the results of the node: its refutation for the move ordering, its score in the table.

    Nodes of quiescence store nothing, because they search only some of their moves.
    """
    stack, scores = ctx.stack, ctx.scores
    frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
    left, score, beta = stack[frame + LEFT], scores[bounds + SCORE], scores[bounds + BETA]
    if left == _0:
        return
    if score >= beta:
        here = stack[frame + NEXT] - _1
        if options.penalties:
            refuted_after(stack, first_move(stack, layout, ply), here, left, ply, layout)
        else:
            refuted(stack, stack[here], left, ply, killers_at(layout, ply), layout.history)
    if options.table_bits != _0:
        index = stack[frame + BEST]
        bound = table.LOWER if score >= beta else table.EXACT if score > scores[bounds + FLOOR] else table.UPPER
        if bound == table.UPPER:  # no move was shown to be the best, only that none is better than alpha
            index = table.NO_MOVE
        key = stack[layout.keys + ply]
        table.keep(ctx.memory, options.table_bits, key, from_here(score, ply), bound, left, index)
