"""The kernel of `alphabeta`: negamax with iterative deepening, as one loop over an explicit stack.

Principal variation search, a transposition table, ordered moves, and beyond the horizon a search of noisy moves alone.
Kernels allocate nothing and do not call themselves. The README describes the algorithm and its choices.
"""

from typing import Any, NamedTuple

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN
from gameforge.kernel.abi import RUNNING, UNKNOWN
from gameforge.kernel.answer import write_answer, write_no_move
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import DEPTH, NODES
from gameforge.kernel.keys import position_key
from gameforge.kernel.random import below
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.leaves import Child, examine, result_without_distance
from gameforge_search_minimax.limits import must_stop, read_options
from gameforge_search_minimax.nodes import (
    announce_move,
    enter_child,
    enter_root,
    finish_node,
    improve_node,
    pick_move,
    withdraw_move,
)
from gameforge_search_minimax.recurrence import course_of, may_recur, plies_since
from gameforge_search_minimax.scores import finished
from gameforge_search_minimax.sharing import forget_all
from gameforge_search_minimax.windows import (
    FULL,
    FULL_AGAIN,
    LEAST,
    bounds_of_child,
    search_again,
    window_for_next,
)
from gameforge_search_minimax.workspace import (
    ALPHA,
    BELOW,
    BEST,
    BETA,
    BOUNDS,
    END,
    FRAME,
    IS_PV,
    NEXT,
    SCORE,
    SINCE,
    WINDOW,
    forget_line,
    layout_of,
)

_0, _1 = np.uint64(0), np.uint64(1)


class Best(NamedTuple):
    """What the search would answer now."""

    move: Any
    score: Any
    index: Any
    """The number that the rules give to the move; NO_MOVE before the first move has a score."""
    equals: Any
    """Moves that share the score, where ties are drawn at random."""


@inline
def begin_search(ctx: Any, layout: Any, s: Any) -> None:
    """Copy the root to the stack, and clear what earlier searches left there: killers, history, the root's line."""
    for i in range(layout.killers, layout.moves):
        ctx.stack[i] = _0
    for i in range(layout.words):
        ctx.stack[i] = s[i]
    forget_line(ctx.stack, layout, _0)


@inline
def start_threads(ctx: Any, options: Any) -> None:
    """Prepare what threads of the search share, and start the helpers."""
    if options.helper == 0:
        if options.table_bits != _0:
            table.next_search(ctx.memory)
        if options.shares:
            forget_all(ctx.memory)
        ctx.crew(1)


@inline
def is_settled(value: Any, depth: Any) -> Any:
    """Whether a win or a loss is proven to which nothing nearer is left to find."""
    return abs(value) > ORACLE_WIN and PROVEN_WIN - abs(value) <= np.float64(depth) * PLY


@inline
def position_after(ctx: Any, options: Any, layout: Any, course: Any, ply: Any, move: Any, window: Any) -> Any:
    """Play a move of the node at `ply`; the Child that it leads to, with the window that it is searched with."""
    rules, stack, scores = ctx.rules, ctx.stack, ctx.scores
    frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
    data, state, after = at(rules.data, _0), at(stack, ply * layout.words), at(stack, (ply + _1) * layout.words)
    forget_line(stack, layout, ply + _1)
    rules.play(data, state, move, after)
    left, since = stack[frame + BELOW], plies_since(ctx, course, state, move, stack[frame + SINCE])
    key = _0
    if may_recur(course, since) or (left != _0 and (options.table_bits != _0 or course.repetitions)):
        key = position_key(rules, data, after)
    alpha, beta = bounds_of_child(scores[bounds + ALPHA], scores[bounds + BETA], window)
    return Child(after, ply + _1, left, since, key, alpha, beta)


@inline
def search_tree(ctx: Any, options: Any, layout: Any, course: Any, root_result: Any, best: Any, nodes: Any) -> Any:
    """Search the root that has been entered; (Best, nodes so far, whether the search was stopped on its way)."""
    stack, scores = ctx.stack, ctx.scores
    # With random ties, moves of the root that may be as good as the best are searched until that is known.
    below_best = LEAST if options.random_ties else 0.0
    ply = _0
    while True:
        frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
        here, beta = stack[frame + NEXT], scores[bounds + BETA]
        if here == stack[frame + END] or scores[bounds + SCORE] >= beta:  # the node is done: back to its parent
            finish_node(ctx, options, layout, ply)
            if ply == _0:
                return best, nodes, False
            score = -scores[bounds + SCORE]
            ply, frame, bounds = ply - _1, frame - FRAME, bounds - BOUNDS
            here = stack[frame + NEXT] - _1
            withdraw_move(ctx, options, layout, frame, ply, stack[here])
            if search_again(stack, frame, here, score, scores[bounds + ALPHA], scores[bounds + BETA]):
                continue
        else:  # the next move of the node
            is_pv, again = stack[frame + IS_PV] != _0, stack[frame + WINDOW] == FULL_AGAIN
            if not again and not pick_move(ctx, options, layout, frame, ply, scores[bounds + SCORE]):
                continue
            move, window = stack[here], window_for_next(is_pv, scores[bounds + SCORE], stack[frame + WINDOW])
            stack[frame + NEXT] = here + _1
            nodes += _1
            if must_stop(ctx.control, options, nodes):
                return best, nodes, True
            child = position_after(ctx, options, layout, course, ply, move, window)
            moves = stack[frame + END]
            found = examine(ctx, options, layout, course, child, moves, root_result, options.random_ties and is_pv)
            if found.searched != _0:
                announce_move(ctx, options, layout, frame, ply, move)
                stack[frame + WINDOW] = window
                enter_child(ctx, layout, course, child, moves, found, is_pv and window == FULL)
                ply = child.ply
                continue
            score = -found.score

        # The move at `here` of the node at `ply` has this score.
        better: Any = score > scores[bounds + SCORE]
        if ply == _0 and options.random_ties and score >= scores[bounds + SCORE]:
            equals = _1 if better else best.equals + _1
            better = below(at(ctx.rng, _0), equals) == _0 or better
            best = Best(best.move, best.score, best.index, equals)
        if better and improve_node(stack, scores, layout, ply, here, score, below_best) and ply == _0:
            best = Best(stack[here], score, stack[frame + BEST], best.equals)


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Search a state deeper and deeper; `limits` as named in limits.py. Returns the score and writes the answer."""
    rules, stack, control = ctx.rules, ctx.stack, ctx.control
    options = read_options(limits, control)
    layout = layout_of(options.last_ply, rules.words, rules.max_moves)
    begin_search(ctx, layout, s)
    data, root = at(rules.data, _0), at(stack, _0)
    code = rules.outcome(data, root, rules.gen(data, root, at(stack, layout.moves)))
    control[DEPTH] = 0
    if code != RUNNING:
        control[NODES] += 1
        write_no_move(out, _1)
        return finished(code & 3, _0)
    key = position_key(rules, data, root)
    stack[layout.keys] = key
    course = course_of(ctx, key, options.draws)
    start_threads(ctx, options)
    root_result = result_without_distance(ctx, root) if options.progress else UNKNOWN

    best, nodes, stopped = Best(stack[layout.moves], 0.0, table.NO_MOVE, _0), _1, False
    # Every other helper is a ply ahead, which leaves more for the others to find in the table.
    depth = _1 if options.helper & 1 and options.depth > _1 else _0
    while depth < options.depth and not stopped:
        depth += _1
        enter_root(ctx, layout, course, depth, best.index)
        best, nodes, stopped = search_tree(ctx, options, layout, course, root_result, best, nodes)
        if not stopped:
            control[DEPTH] = np.int64(depth)
            if is_settled(best.score, depth):
                break

    if options.helper == 0:
        nodes += np.uint64(ctx.crew(0))
    control[NODES] += np.int64(nodes)
    write_answer(out, best.move, nodes, at(stack, layout.lines + _1), stack[layout.lines])
    return best.score + 0.0  # no score is minus zero
