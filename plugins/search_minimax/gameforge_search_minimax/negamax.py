"""The kernel of `alphabeta`: negamax with iterative deepening, as one loop over an explicit stack.

It uses principal variation search, a transposition table, move ordering, and quiescence beyond the horizon. There is no
recursion because kernels allocate nothing and do not call themselves. The README describes the algorithm.
"""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN
from gameforge.kernel.abi import RUNNING, UNKNOWN
from gameforge.kernel.answer import write_answer, write_no_move
from gameforge.kernel.bits import at, below, position_key
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import DEPTH, NODES
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.conversion import ending_of, is_converted, judge_conversion, most_nodes, reach
from gameforge_search_minimax.game_memory import continues_game
from gameforge_search_minimax.leaves import Child, at_horizon, judge, probe_table, result_without_distance
from gameforge_search_minimax.limits import must_stop, read_options
from gameforge_search_minimax.nodes import (
    announce_move,
    enter_child,
    enter_root,
    finish_node,
    noisy_moves,
    pick_move,
    withdraw_move,
)
from gameforge_search_minimax.ordering import index_at
from gameforge_search_minimax.probcut import end_probe, shallow_probe
from gameforge_search_minimax.recurrence import course_of, may_recur, plies_since, recurs
from gameforge_search_minimax.scores import finished
from gameforge_search_minimax.selection import is_futile, leaves_rest, reduction
from gameforge_search_minimax.sharing import forget_all
from gameforge_search_minimax.windows import (
    ABOVE_ALL,
    FULL,
    LEAST,
    REDUCED,
    bounds_of_child,
    is_again,
    search_again,
    search_deeper,
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
    LEFT,
    NEXT,
    SCORE,
    SINCE,
    WINDOW,
    forget_line,
    layout_of,
    update_line,
)

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def begin_search(ctx: Any, layout: Any, s: Any) -> None:
    """Copy the root to the stack, and clear the killers, the history and the root's line of the last search."""
    for i in range(layout.killers, layout.moves):
        ctx.stack[i] = _0
    for i in range(layout.words):
        ctx.stack[i] = s[i]
    forget_line(ctx.stack, layout, _0)


@inline
def start_threads(ctx: Any, options: Any, root_result: Any, ending: Any) -> None:
    """Reset the memory that the threads of the search share, and start the helpers.

    A search for a conversion reads no entries of earlier searches: it scores positions by what changed since its root.
    """
    if options.helper == 0:
        if options.table_bits != _0:
            same_game = options.keeps and continues_game(ctx, root_result)
            table.next_search(ctx.memory, same_game and not ending.won)
        if options.shares:
            forget_all(ctx.memory)
        ctx.crew(1)


@inline
def is_settled(value: Any, depth: Any) -> Any:
    """Whether a win or a loss is proven that no deeper search can bring nearer."""
    return abs(value) > ORACLE_WIN and PROVEN_WIN - abs(value) <= np.float64(depth) * PLY


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Search a state; `limits` as in limits.py. Returns the score and writes the answer (gameforge.kernel.answer)."""
    return negamax(ctx, s, limits, out, False)


def search_selectively(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Search a state as `search` does, but selectively (selection.py)."""
    return negamax(ctx, s, limits, out, True)


@inline
def negamax(ctx: Any, s: Any, limits: Any, out: Any, selective: Any) -> Any:
    """The algorithm of both searches; `selective` is a constant."""
    rules, stack, scores, control = ctx.rules, ctx.stack, ctx.scores, ctx.control
    data = at(rules.data, _0)
    options = read_options(limits, control, selective)
    layout = layout_of(options.last_ply, rules.words, rules.max_moves)
    begin_search(ctx, layout, s)
    root = at(stack, _0)
    n = rules.gen(data, root, at(stack, layout.moves))
    code = rules.outcome(data, root, n)
    control[DEPTH] = 0
    if code != RUNNING:
        control[NODES] += 1
        write_no_move(out, _1)
        return finished(code & 3, _0)
    key = position_key(rules, data, root)
    stack[layout.keys] = key
    course = course_of(ctx, key, options.draws)
    root_result = result_without_distance(ctx, root) if options.progress else UNKNOWN
    ending = ending_of(ctx, options, course, root, root_result)
    start_threads(ctx, options, root_result, ending)
    # A search for a conversion counts every ply: the nearest one is sought.
    extends = options.forced and not ending.won
    # With random ties, moves of the root that may equal the best one get an exact score.
    below_best = LEAST if options.random_ties else 0.0

    chosen, value, known_best, equals = stack[layout.moves], 0.0, table.NO_MOVE, _0
    nodes, stopped = _1, False
    # Every other helper searches a ply deeper, so the others find more in the table.
    depth = _1 if options.helper & 1 and options.depth > _1 else _0
    if options.keeps:
        known_best = table.index_of_known(ctx.memory, options.table_bits, key)
    while depth < reach(options, ending) and not stopped:
        depth += _1
        most = most_nodes(options, depth)
        enter_root(ctx, layout, course, depth, known_best)
        ply = _0
        while True:
            frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
            here, end = stack[frame + NEXT], stack[frame + END]
            alpha, beta, best = scores[bounds + ALPHA], scores[bounds + BETA], scores[bounds + SCORE]

            if here == end or best >= beta:  # the node is done: return to its parent with the score of the move
                finish_node(ctx, options, layout, ply)
                if ply == _0:
                    break
                score = -best
                ply, frame, bounds = ply - _1, frame - FRAME, bounds - BOUNDS
                here = stack[frame + NEXT] - _1
                alpha, beta = scores[bounds + ALPHA], scores[bounds + BETA]
                withdraw_move(ctx, options, layout, frame, ply, stack[here])
                if options.cuts:
                    again, score = end_probe(stack, scores, frame, bounds, here, score)
                    if again:
                        continue
                if search_again(stack, frame, here, score, alpha, beta):
                    continue
                if options.reductions != 0.0 and search_deeper(stack, frame, here, score, alpha):
                    continue
            else:  # the next move of the node
                is_pv, again = stack[frame + IS_PV] != _0, is_again(options, stack[frame + WINDOW])
                if not again and not pick_move(ctx, options, layout, frame, ply, best):
                    continue
                if options.selective and not again and leaves_rest(options, stack, layout, ply, here, is_pv, best):
                    stack[frame + NEXT] = end
                    continue
                window = window_for_next(is_pv, best, stack[frame + WINDOW])
                move, state, after = stack[here], at(stack, ply * layout.words), at(stack, (ply + _1) * layout.words)
                stack[frame + NEXT], reduced = here + _1, _0
                if options.selective:
                    reduced = reduction(options, stack, layout, ply, here, is_pv, best)
                    window = REDUCED if reduced != _0 else window
                    stack[frame + WINDOW] = window
                forget_line(stack, layout, ply + _1)
                rules.play(data, state, move, after)
                nodes += _1
                if must_stop(control, options, nodes, most):
                    stopped = True
                    break

                left = stack[frame + BELOW] - reduced
                since = plies_since(ctx, course, state, move, stack[frame + SINCE])
                repeats = may_recur(course, since)
                looks_up = left != _0 and options.table_bits != _0
                key = _0
                if repeats or looks_up or (left != _0 and course.repetitions):
                    key = position_key(rules, data, after)
                lower, upper = bounds_of_child(alpha, beta, window)
                child = Child(after, ply + _1, left, since, key, lower, upper)

                score, index = 0.0, table.NO_MOVE
                settled: Any = repeats and recurs(ctx, course, layout.keys, key, child.ply, since)
                if not settled and looks_up:
                    settled, score, index = probe_table(ctx, options, course, child, options.random_ties and is_pv)
                if not settled:
                    n = rules.gen(data, after, at(stack, end))
                    settled, score, known = judge(ctx, course, child, n, root_result)
                    noisy = _0
                    if not settled:
                        noisy = noisy_moves(rules, after, at(stack, end), n)
                        settled, score = judge_conversion(ctx, ending, child, noisy, known)
                        if not settled and options.selective and left != _0:
                            settled, score = is_futile(ctx, options, child, noisy, known)
                    if not settled:
                        extended = extends and n == _1 and child.ply + left < options.last_ply
                        searched, score = n, -ABOVE_ALL
                        if left == _0 and not extended:
                            searched, score = at_horizon(ctx, options, ending, depth, child, n, noisy, known)
                        if searched != _0 and score < upper:
                            announce_move(ctx, options, layout, frame, ply, move)
                            stack[frame + WINDOW] = window
                            on_pv = is_pv and window == FULL
                            if options.cuts and not again and n > _1 and left > _1:
                                probe, child = shallow_probe(ctx, limits, child, known)
                                stack[frame + WINDOW] += probe
                            enter_child(
                                ctx,
                                layout,
                                course,
                                child,
                                end,
                                n,
                                noisy,
                                searched,
                                score,
                                on_pv,
                                extended,
                                index,
                            )
                            ply = child.ply
                            continue
                score = -score
                if options.reductions != 0.0 and search_deeper(stack, frame, here, score, alpha):
                    continue  # the table settled the move, but only to the reduced depth

            # The move at `here` of the node at `ply` has this score.
            better: Any = score > scores[bounds + SCORE]
            if options.random_ties and ply == _0 and score >= scores[bounds + SCORE]:
                equals = _1 if better else equals + _1
                better = below(at(ctx.rng, _0), equals) == _0 or better
            if better:
                scores[bounds + SCORE] = score
                if stack[frame + LEFT] != _0:
                    stack[frame + BEST] = index_at(stack, here + layout.merits)
                if score > alpha:
                    scores[bounds + ALPHA] = score - below_best if ply == _0 else score
                    if stack[frame + IS_PV] != _0:
                        update_line(stack, layout, ply, stack[here])
                    if ply == _0:
                        chosen, value, known_best = stack[here], score, stack[frame + BEST]
        if not stopped:
            control[DEPTH] = np.int64(depth)
            if is_settled(value, depth) or is_converted(ending, value):
                break

    if options.helper == 0:
        nodes += np.uint64(ctx.crew(0))
    control[NODES] += np.int64(nodes)
    write_answer(out, chosen, nodes, at(stack, layout.lines + _1), stack[layout.lines])
    return value + 0.0  # no score is minus zero
