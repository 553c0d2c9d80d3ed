"""The searcher `alphabeta`: negamax with iterative deepening, as one loop over an explicit stack.

It uses principal variation search, a transposition table, move ordering, and quiescence beyond the horizon. There is no
recursion because kernels allocate nothing and do not call themselves. `negamax` holds the loop. After it come its
steps: enter a node, pick its moves one by one and finish it; settle a position by the table, the rules, an oracle or,
at the horizon, the evaluator. The README describes the algorithm.
"""

from typing import Any

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import ORACLE_WIN, PLY, PROVEN_WIN, RUNNING, RulesFunctions, SearcherFunctions
from gameforge.kernel import (
    U0,
    U1,
    UNKNOWN,
    ask_gated,
    ask_oracles,
    at,
    below,
    gated_after_root,
    gated_at_leaves,
    inline,
    position_key,
    slots,
    static_score,
    write_answer,
    write_no_move,
)
from gameforge_search_minimax import table
from gameforge_search_minimax.endings import (
    course_of,
    ending_of,
    finished,
    from_here,
    from_root,
    is_converted,
    is_drawn,
    judge_conversion,
    kept,
    may_recur,
    most_nodes,
    oracle_score,
    oracle_score_at_leaf,
    plies_since,
    reach,
    recurs,
    score_at_horizon,
)
from gameforge_search_minimax.ordering import (
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
    bring_forward,
    first_move,
    forget_line,
    index_at,
    is_put_off,
    killers_at,
    layout_of,
    put_off,
    rate,
    refuted,
    refuted_after,
    stack_words,
    update_line,
)
from gameforge_search_minimax.selection import (
    ABOVE_ALL,
    FULL,
    NULL_WIDTH,
    REDUCED,
    Child,
    bounds_of_child,
    end_probe,
    is_again,
    is_futile,
    is_null,
    leaves_rest,
    reduction,
    search_again,
    search_deeper,
    shallow_probe,
    window_for_next,
)
from gameforge_search_minimax.settings import QUIET_PLIES, AlphaBetaSettings, must_stop, read_options

_MEGABYTE = 1 << 20


@attrs.frozen(kw_only=True)
class AlphaBeta(AlphaBetaSettings):
    """The component. A search ends with the first limit that is reached, and always returns a move."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        """Return the kernel and its limits; GameforgeError if the rules have more moves than the table can number."""
        if rules.max_moves >= table.NO_MOVE:
            raise GameforgeError(
                f"alphabeta: the rules allow {rules.max_moves} moves in a position, at most {table.NO_MOVE - 1} are "
                "supported"
            )
        plies = self.horizon + QUIET_PLIES
        bits = max(0, (self.memory * _MEGABYTE // table.BUCKET_BYTES).bit_length() - 1)
        return SearcherFunctions(
            search=search_selectively if self.selective else search,
            limits=self.limits_block(plies, bits),
            stack=stack_words(plies, rules.words, rules.max_moves),
            scores=int(BOUNDS) * (plies + 1),
            memory=table.memory_words(bits),
            bare=True,
            asks_gated=True,
            workers=self.workers,
        )


@inline
def begin_search(ctx: Any, layout: Any, s: Any) -> None:
    """Copy the root to the stack, and clear the killers, the history and the root's line of the last search."""
    for i in range(layout.killers, layout.moves):
        ctx.stack[i] = U0
    for i in range(layout.words):
        ctx.stack[i] = s[i]
    forget_line(ctx.stack, layout, U0)


@inline
def start_threads(ctx: Any, options: Any, root_result: Any, ending: Any) -> None:
    """Reset the memory that the threads of the search share, and start the helpers.

    A search for a conversion reads no entries of earlier searches: it scores positions by what changed since its root.
    """
    if options.helper == 0:
        if options.table_bits != U0:
            same_game = options.keeps and table.continues_game(ctx, root_result)
            table.next_search(ctx.memory, same_game and not ending.won)
        if options.shares:
            table.forget_busy(ctx.memory)
        ctx.crew(1)


@inline
def is_settled(value: Any, depth: Any) -> Any:
    """Whether a win or a loss is proven that no deeper search can bring nearer."""
    return abs(value) > ORACLE_WIN and PROVEN_WIN - abs(value) <= np.float64(depth) * PLY


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Search a state; `limits` as in settings.py. Returns the score and writes the answer (gameforge.kernel.answer)."""
    return negamax(ctx, s, limits, out, False)


def search_selectively(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Search a state as `search` does, but selectively (selection.py)."""
    return negamax(ctx, s, limits, out, True)


@inline
def negamax(ctx: Any, s: Any, limits: Any, out: Any, selective: Any) -> Any:
    """The algorithm of both searches; `selective` is a constant."""
    rules, stack, scores, control = ctx.rules, ctx.stack, ctx.scores, ctx.control
    data = at(rules.data, U0)
    options = read_options(limits, control, selective)
    layout = layout_of(options.last_ply, rules.words, rules.max_moves)
    begin_search(ctx, layout, s)
    root = at(stack, U0)
    n = rules.gen(data, root, at(stack, layout.moves))
    code = rules.outcome(data, root, n)
    control[slots.DEPTH] = 0
    if code != RUNNING:
        control[slots.NODES] += 1
        write_no_move(out, U1)
        return finished(code & 3, U0)
    key = position_key(rules, data, root)
    stack[layout.keys] = key
    course = course_of(ctx, key, options.draws)
    root_result = result_without_distance(ctx, root) if options.progress else UNKNOWN
    ending = ending_of(ctx, options, course, root, root_result)
    start_threads(ctx, options, root_result, ending)
    # A search for a conversion counts every ply: the nearest one is sought.
    extends = options.forced and not ending.won
    # With random ties, moves of the root that may equal the best one get an exact score.
    below_best = NULL_WIDTH if options.random_ties else 0.0

    chosen, value, known_best, equals = stack[layout.moves], 0.0, table.NO_MOVE, U0
    nodes, stopped = U1, False
    # Every other helper searches a ply deeper, so the others find more in the table.
    depth = U1 if options.helper & 1 and options.depth > U1 else U0
    if options.keeps:
        known_best = table.index_of_known(ctx.memory, options.table_bits, key)
    while depth < reach(options, ending) and not stopped:
        depth += U1
        most = most_nodes(options, depth)
        enter_root(ctx, layout, course, depth, known_best)
        ply = U0
        while True:
            frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
            here, end = stack[frame + NEXT], stack[frame + END]
            alpha, beta, best = scores[bounds + ALPHA], scores[bounds + BETA], scores[bounds + SCORE]

            if here == end or best >= beta:  # the node is done: return to its parent with the score of the move
                finish_node(ctx, options, layout, ply)
                if ply == U0:
                    break
                score = -best
                ply, frame, bounds = ply - U1, frame - FRAME, bounds - BOUNDS
                here = stack[frame + NEXT] - U1
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
                is_pv, again = stack[frame + IS_PV] != U0, is_again(options, stack[frame + WINDOW])
                if not again and not pick_move(ctx, options, layout, frame, ply, best):
                    continue
                if options.selective and not again and leaves_rest(options, stack, layout, ply, here, is_pv, best):
                    stack[frame + NEXT] = end
                    continue
                window = window_for_next(is_pv, best, stack[frame + WINDOW])
                move, state, after = stack[here], at(stack, ply * layout.words), at(stack, (ply + U1) * layout.words)
                stack[frame + NEXT], reduced = here + U1, U0
                if options.selective:
                    reduced = reduction(options, stack, layout, ply, here, is_pv, best)
                    window = REDUCED if reduced != U0 else window
                    stack[frame + WINDOW] = window
                forget_line(stack, layout, ply + U1)
                rules.play(data, state, move, after)
                nodes += U1
                if must_stop(control, options, nodes, most):
                    stopped = True
                    break

                left = stack[frame + BELOW] - reduced
                since = plies_since(ctx, course, state, move, stack[frame + SINCE])
                repeats = may_recur(course, since)
                looks_up = left != U0 and options.table_bits != U0
                key = U0
                if repeats or looks_up or (left != U0 and course.repetitions):
                    key = position_key(rules, data, after)
                lower, upper = bounds_of_child(alpha, beta, window)
                child = Child(after, ply + U1, left, since, key, lower, upper)

                score, index = 0.0, table.NO_MOVE
                settled: Any = repeats and recurs(ctx, course, layout.keys, key, child.ply, since)
                if not settled and looks_up:
                    settled, score, index = probe_table(ctx, options, course, child, options.random_ties and is_pv)
                if not settled:
                    n = rules.gen(data, after, at(stack, end))
                    settled, score, known = judge(ctx, course, child, n, root_result)
                    noisy = U0
                    if not settled:
                        noisy = noisy_moves(rules, after, at(stack, end), n)
                        settled, score = judge_conversion(ctx, ending, child, noisy, known)
                        if not settled and options.selective and left != U0:
                            settled, score = is_futile(ctx, options, child, noisy, known)
                    if not settled:
                        extended = extends and n == U1 and child.ply + left < options.last_ply
                        searched, score = n, -ABOVE_ALL
                        if left == U0 and not extended:
                            searched, score = at_horizon(ctx, options, ending, depth, child, n, noisy, known)
                        if searched != U0 and score < upper:
                            announce_move(ctx, options, layout, frame, ply, move)
                            stack[frame + WINDOW] = window
                            on_pv = is_pv and window == FULL
                            if options.cuts and not again and n > U1 and left > U1:
                                probe, child = shallow_probe(ctx, limits, child, known)
                                stack[frame + WINDOW] += probe
                            enter_child(
                                ctx, layout, course, child, end, n, noisy, searched, score, on_pv, extended, index
                            )
                            ply = child.ply
                            continue
                score = -score
                if options.reductions != 0.0 and search_deeper(stack, frame, here, score, alpha):
                    continue  # the table settled the move, but only to the reduced depth

            # The move at `here` of the node at `ply` has this score.
            better: Any = score > scores[bounds + SCORE]
            if options.random_ties and ply == U0 and score >= scores[bounds + SCORE]:
                equals = U1 if better else equals + U1
                better = below(at(ctx.rng, U0), equals) == U0 or better
            if better:
                scores[bounds + SCORE] = score
                if stack[frame + LEFT] != U0:
                    stack[frame + BEST] = index_at(stack, here + layout.merits)
                if score > alpha:
                    scores[bounds + ALPHA] = score - below_best if ply == U0 else score
                    if stack[frame + IS_PV] != U0:
                        update_line(stack, layout, ply, stack[here])
                    if ply == U0:
                        chosen, value, known_best = stack[here], score, stack[frame + BEST]
        if not stopped:
            control[slots.DEPTH] = np.int64(depth)
            if is_settled(value, depth) or is_converted(ending, value):
                break

    if options.helper == 0:
        nodes += np.uint64(ctx.crew(0))
    control[slots.NODES] += np.int64(nodes)
    write_answer(out, chosen, nodes, at(stack, layout.lines + U1), stack[layout.lines])
    return value + 0.0  # no score is minus zero


@inline
def noisy_moves(rules: Any, state: Any, moves: Any, n: Any) -> Any:
    """Move the noisy moves to the front; returns their number."""
    return rules.noisy(at(rules.data, U0), state, moves, n) if rules.has_noisy != U0 else U0


@inline
def enter_root(ctx: Any, layout: Any, course: Any, depth: Any, best: Any) -> None:
    """Begin an iteration: rate the root's moves, the one with index `best` first, and open the window."""
    rules, stack, scores = ctx.rules, ctx.stack, ctx.scores
    root, moves = at(stack, U0), at(stack, layout.moves)
    n = rules.gen(at(rules.data, U0), root, moves)
    noisy = noisy_moves(rules, root, moves, n)
    rate(stack, layout.moves, layout.moves + layout.merits, n, noisy, best, U0, killers_at(layout, U0), layout.history)
    frame = layout.frames
    stack[frame + NEXT], stack[frame + END] = layout.moves, layout.moves + n
    stack[frame + LEFT], stack[frame + BELOW] = depth, depth - U1
    stack[frame + SINCE], stack[frame + BEST] = course.past - U1, table.NO_MOVE
    stack[frame + IS_PV], stack[frame + WINDOW] = U1, FULL
    scores[SCORE], scores[ALPHA], scores[BETA], scores[FLOOR] = -ABOVE_ALL, -ABOVE_ALL, ABOVE_ALL, -ABOVE_ALL


@inline
def enter_child(
    ctx: Any, layout: Any, course: Any, child: Any, moves: Any, n: Any, noisy: Any, searched: Any, score: Any,
    is_pv: Any, extended: Any, best: Any,
) -> None:  # fmt: skip
    """Make the child the current node; the first `searched` of its n moves, which begin at `moves`, are to be tried.

    `score` is what the side to move can have without them. `extended`: the child's only move takes no depth. In
    quiescence (no depth left) moves stay in the order of the rules, because they are few and not rated.
    """
    stack, scores = ctx.stack, ctx.scores
    frame, bounds = layout.frames + child.ply * FRAME, child.ply * BOUNDS
    stack[frame + NEXT], stack[frame + END] = moves, moves + searched
    stack[frame + LEFT], stack[frame + SINCE] = child.left, child.since
    stack[frame + BELOW] = child.left if extended or child.left == U0 else child.left - U1
    stack[frame + BEST], stack[frame + WINDOW] = table.NO_MOVE, FULL
    stack[frame + IS_PV] = U1 if is_pv else U0
    scores[bounds + SCORE], scores[bounds + ALPHA] = score, max(child.alpha, score)
    scores[bounds + BETA], scores[bounds + FLOOR] = child.beta, child.alpha
    if child.left != U0:
        stack[layout.keys + child.ply] = child.key
        killers = killers_at(layout, child.ply)
        rate(stack, moves, moves + layout.merits, n, noisy, best, child.ply, killers, layout.history)
    elif course.repetitions:
        stack[layout.keys + child.ply] = position_key(ctx.rules, at(ctx.rules.data, U0), child.state)


@inline
def pick_move(ctx: Any, options: Any, layout: Any, frame: Any, ply: Any, best: Any) -> Any:
    """Bring the best of the remaining moves to the front. If another thread searches it, put it off and return False.

    The first move of a node is never put off, because its score sets the window of the others.
    """
    stack = ctx.stack
    here, left = stack[frame + NEXT], stack[frame + LEFT]
    merit = here + layout.merits
    if left != U0:
        bring_forward(stack, layout.merits, here, stack[frame + END])
    shared = options.shares and left >= table.LEAST_SHARED_DEPTH
    may_wait = shared and best > -ABOVE_ALL and not is_put_off(stack, merit)
    if may_wait and table.is_busy(ctx.memory, stack[layout.keys + ply], stack[here]):
        put_off(stack, merit)
        return False
    return True


@inline
def announce_move(ctx: Any, options: Any, layout: Any, frame: Any, ply: Any, move: Any) -> None:
    """Announce to the other threads of the search that this one searches the move."""
    if options.shares and ctx.stack[frame + LEFT] >= table.LEAST_SHARED_DEPTH:
        table.announce(ctx.memory, ctx.stack[layout.keys + ply], move)


@inline
def withdraw_move(ctx: Any, options: Any, layout: Any, frame: Any, ply: Any, move: Any) -> None:
    """Withdraw the announcement once the move has been searched."""
    if options.shares and ctx.stack[frame + LEFT] >= table.LEAST_SHARED_DEPTH:
        table.withdraw(ctx.memory, ctx.stack[layout.keys + ply], move)


@inline
def finish_node(ctx: Any, options: Any, layout: Any, ply: Any) -> None:
    """Store the results of the node: its refutation for the move ordering, its score in the table.

    Nodes of quiescence store nothing, because they search only some of their moves.
    """
    stack, scores = ctx.stack, ctx.scores
    frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
    left, score, beta = stack[frame + LEFT], scores[bounds + SCORE], scores[bounds + BETA]
    if left == U0:
        return
    if score >= beta:
        here = stack[frame + NEXT] - U1
        if options.penalties:
            refuted_after(stack, first_move(stack, layout, ply), here, left, ply, layout)
        else:
            refuted(stack, stack[here], left, ply, killers_at(layout, ply), layout.history)
    if options.table_bits != U0:
        index = stack[frame + BEST]
        bound = table.LOWER if score >= beta else table.EXACT if score > scores[bounds + FLOOR] else table.UPPER
        if bound == table.UPPER:  # no move was shown to be the best, only that none is better than alpha
            index = table.NO_MOVE
        key = stack[layout.keys + ply]
        table.keep(ctx.memory, options.table_bits, key, from_here(score, ply), bound, left, index)


@inline
def probe_table(ctx: Any, options: Any, course: Any, child: Any, wants_exact: Any) -> Any:
    """Look up the child in the table; returns (whether it is settled, score, index of its best move or table.NO_MOVE).

    A stored score counts only in a null window: nodes of the principal variation are searched, so that the line is
    complete. It does not count if the child is a draw by the history of the game, which the table does not know. With
    `wants_exact`, an upper bound is not sufficient.
    """
    entry = table.find(ctx.memory, options.table_bits, child.key)
    if entry == U0:
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
    code = ctx.rules.outcome(at(ctx.rules.data, U0), child.state, n)
    if code != RUNNING:
        return True, finished(code & 3, child.ply), UNKNOWN
    if is_drawn(course, child.ply, child.since):
        return True, 0.0, UNKNOWN
    known = ask_oracles(ctx, child.state)
    if known == UNKNOWN and gated_after_root(ctx.oracle.gate, child.ply):
        known = ask_gated(ctx, child.state, static_score(ctx.evaluator, child.state))
    answer = ctx.oracle.out
    if known != UNKNOWN and not (answer[slots.PROBE_DISTANCE] == U0 and known == kept(root_result, child.ply)):
        return True, oracle_score(known, answer, child.ply), known
    return False, 0.0, known


@inline
def result_without_distance(ctx: Any, state: Any) -> Any:
    """Result of the root by an oracle without distances; UNKNOWN if there is none, or if it has a distance."""
    known = ask_oracles(ctx, state)
    return known if ctx.oracle.out[slots.PROBE_DISTANCE] == U0 else UNKNOWN


@inline
def at_horizon(ctx: Any, options: Any, ending: Any, depth: Any, child: Any, n: Any, noisy: Any, known: Any) -> Any:
    """Score a child at the horizon; returns (number of moves for quiescence to search, score without them).

    If one of its n moves is quiet, the side to move may stop here, so the static score is a lower bound. If all moves
    are noisy it must choose one of them, so there is no score. If an oracle knows the result, no moves are searched.
    """
    searched = noisy if options.quiescence and child.ply < options.last_ply else U0
    if searched == n:
        return searched, -ABOVE_ALL
    score = table.cached_score(ctx, options, child)
    if known != UNKNOWN:
        return U0, score_at_horizon(ending, depth, known, score)
    if gated_at_leaves(ctx.oracle.gate):
        result = ask_gated(ctx, child.state, score)
        if result != UNKNOWN:
            return U0, oracle_score_at_leaf(result, ctx.oracle.out, child.ply, score, options.progress)
    return searched, score
