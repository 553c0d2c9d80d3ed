"""The searcher `alphabeta`: negamax with iterative deepening, as one loop over an explicit stack.

It uses principal variation search, a transposition table, move ordering, and quiescence beyond the horizon. There is no
recursion because kernels allocate nothing and do not call themselves. `negamax` holds the loop, in numbered steps, and
`settle` those that may score a position without a search of its moves. After them come the functions that they call:
those that enter a node, pick its moves and finish it, and the one that scores positions at the horizon. The README
describes the algorithm.
"""

from typing import NamedTuple

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import RUNNING, RulesFunctions, SearcherFunctions
from gameforge.kernel import (
    U0,
    U1,
    UNKNOWN,
    Context,
    IntegerArray,
    Limits,
    Score,
    Scores,
    Truth,
    Word,
    Words,
    answer,
    at,
    below,
    inline,
    oracles,
    position_key,
    slots,
)
from gameforge_search_minimax import endings, ordering, table
from gameforge_search_minimax.endings import Child, Course, Ending
from gameforge_search_minimax.ordering import (
    ABOVE_ALL,
    ALPHA,
    BELOW,
    BEST,
    BETA,
    BOUNDS,
    END,
    FLOOR,
    FRAME,
    FULL,
    IS_PV,
    LEFT,
    NEXT,
    REDUCED,
    SCORE,
    SINCE,
    WINDOW,
    Layout,
    noisy_moves,
    score_horizon,
)
from gameforge_search_minimax.settings import (
    QUIET_PLIES,
    AlphaBetaSettings,
    Options,
    limit_reached,
    must_stop,
    read_options,
)

_MEGABYTE = 1 << 20


@attrs.frozen(kw_only=True)
class AlphaBeta(AlphaBetaSettings):
    """The component. A search ends with the first limit that is reached, and always returns a move."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        """Return the kernel and its limits; GameforgeError if the rules have more moves than the table can number."""
        if rules.max_moves >= table.NO_ENTRY:
            raise GameforgeError(
                f"alphabeta: the rules allow {rules.max_moves} moves in a position, at most {table.NO_ENTRY - 1} are "
                "supported"
            )
        plies = self.horizon + QUIET_PLIES
        bits = max(0, (self.memory * _MEGABYTE // table.BUCKET_BYTES).bit_length() - 1)
        return SearcherFunctions(
            search=search_selectively if self.selective else search,
            limits=self.limits_block(plies, bits),
            stack=ordering.stack_words(plies, rules.words, rules.max_moves),
            scores=int(BOUNDS) * (plies + 1) + rules.max_moves,
            accumulators=plies + 1,
            memory=table.memory_words(bits),
            bare=True,
            asks_gated=True,
            asks_searched=True,
            leaf=True,
            recording=search_and_hand_out if self.workers == 1 and not self.selective else None,
            workers=self.workers,
        )


@inline
def begin_search(ctx: Context, layout: Layout, s: Words) -> None:
    """Copy the root to the stack, and clear the killers, the history and the root's line of the last search."""
    for i in range(layout.killers, layout.moves):
        ctx.stack[i] = U0
    for i in range(layout.words):
        ctx.stack[i] = s[i]
    ordering.forget_line(ctx.stack, layout, U0)


@inline
def start_threads(ctx: Context, options: Options, ending: Ending) -> None:
    """Reset the memory that the threads of the search share, and start the helpers.

    A search for a conversion reads no entries of earlier searches: it scores positions by what changed since its root.
    """
    if options.helper == 0:
        if options.table_bits != U0:
            same_game = options.keeps and table.continues_game(ctx, ending.result)
            table.next_search(ctx.memory, same_game and not ending.won, options.depth)
        if options.shares:
            table.forget_busy(ctx.memory)
        ctx.crew(1)


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state; `limits` as in settings.py. Returns the score and writes the answer to `out`."""
    return negamax(ctx, s, limits, out, False, False)


def search_selectively(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state as `search` does, but selectively (ordering.py)."""
    return negamax(ctx, s, limits, out, True, False)


def search_and_hand_out(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state as `search` does, and hand out the inner nodes of the last iteration."""
    return negamax(ctx, s, limits, out, False, True)


@inline
def negamax(ctx: Context, s: Words, limits: Limits, out: Words, selective: bool, hands_out: bool) -> Score:
    """The algorithm of these searches; `selective` and `hands_out` are constants.

    The inner loop is always at one node, `ply` plies from the root. The node's frame and bounds hold what a recursive
    search would keep in local variables. Each turn either leaves a node that is done and returns to its parent (steps 5
    to 7), or tries the node's next move (steps 8 to 17). Both end with the score of a move (step 18), unless a search
    has to come first: then `continue` starts it, at the node that `ply` names by then.
    """
    # Step 1. Lay out the workspace, and put the root and its moves there.
    rules = ctx.rules
    stack: Words = ctx.stack
    scores: Scores = ctx.scores
    control: IntegerArray = ctx.control
    data = at(rules.data, U0)
    options = read_options(limits, control, selective)
    layout = ordering.layout_of(options.last_ply, rules.words, rules.max_moves)
    begin_search(ctx, layout, s)
    root = at(stack, U0)
    n = rules.gen(data, root, at(stack, layout.moves))

    # Step 2. If the game is over, there is no move to choose.
    code = rules.outcome(data, root, n)
    control[slots.DEPTH] = 0
    if code != RUNNING:
        control[slots.NODES] += 1
        answer.write_no_move(out, U1)
        return endings.finished(code & 3, U0)

    # Step 3. Collect what the scores below depend on: the game before the root, and the root's result if an oracle
    # knows it. The helpers start after the shared memory has been reset.
    key = position_key(rules, data, root)
    stack[layout.keys] = key
    course = endings.course_of(ctx, key, options.draws)
    root_result = endings.result_without_distance(ctx, root) if options.progress else UNKNOWN
    ending = endings.ending_of(ctx, options, course, root, root_result)
    start_threads(ctx, options, ending)

    # Step 4. Iterative deepening: search to depth 1, 2 and so on. The shallow iterations cost little. Each tells the
    # next which moves to try first, and there is a move to play whenever a limit ends the search.
    chosen, value, known_best = stack[layout.moves], 0.0, table.NO_MOVE
    nodes, stopped, limit = U1, False, slots.BY_DEPTH
    # To draw among moves of equal score, their scores have to be exact. The root's window therefore opens a little
    # below the best score; otherwise a null window would show only that such a move is not better. A gate that judges
    # the moves by their scores needs them all exactly, so the root's window stays open.
    judged = oracles.gated_after_root(ctx.oracle.gate, U1, True)
    margin = 2.0 * ABOVE_ALL if judged else endings.NULL_WIDTH if options.random_ties else 0.0
    ties = U0
    # Every other helper starts a ply deeper. Threads that are a ply apart do less of the same work, and the shallower
    # ones find more in the table.
    depth = U1 if options.helper & 1 and options.depth > U1 else U0
    if options.keeps:
        known_best = table.index_of_known(ctx.memory, options.table_bits, key)
    while depth < endings.reach(options, ending) and not stopped:
        depth += U1
        node_limit = endings.most_nodes(options, depth)
        enter_root(ctx, options, layout, course, depth, known_best)
        if hands_out:
            answer.begin_handing_out(ctx.stack)
        ply = U0
        while True:
            frame, bounds = layout.frames + ply * FRAME, ply * BOUNDS
            here, end = stack[frame + NEXT], stack[frame + END]
            alpha, beta, best = scores[bounds + ALPHA], scores[bounds + BETA], scores[bounds + SCORE]

            if here == end or best >= beta:
                # Step 5. The node is done: all moves are searched, or one is so good that the other side avoids the
                # node (a beta cutoff). Return to the parent; its move at `here` led to this node.
                finish_node(ctx, options, layout, ply)
                if hands_out:
                    hand_out_node(ctx, layout, ply)
                if ply == U0:
                    break
                score = -best
                ply, frame, bounds = ply - U1, frame - FRAME, bounds - BOUNDS
                here = stack[frame + NEXT] - U1
                alpha, beta = scores[bounds + ALPHA], scores[bounds + BETA]
                table.withdraw(ctx.memory, options, stack[frame + LEFT], stack[layout.keys + ply], stack[here])

                # Step 6. A probe of ProbCut ends. If it showed what it was to show, it replaces the deep search; else
                # the deep search follows.
                if options.cuts:
                    again, score = ordering.end_probe(stack, scores, frame, bounds, here, score)
                    if again:
                        continue

                # Step 7. A null window or a reduced depth is a bet that the move is not better than alpha. If the bet
                # is lost, the score says too little: search again, with the full window or to the full depth.
                if ordering.search_again(stack, frame, here, score, alpha, beta):
                    continue
                if options.reductions != 0.0 and ordering.search_deeper(stack, frame, here, score, alpha):
                    continue
            else:
                # Step 8. Pick the next move. Moves are sorted one at a time, because a cutoff makes the rest needless.
                # A move that another thread is searching waits until the table has its score.
                is_pv, again = stack[frame + IS_PV] != U0, ordering.is_again(options, stack[frame + WINDOW])
                if not again and not pick_move(ctx, options, layout, frame, ply, best):
                    continue

                # Step 9. Late pruning: near the horizon, the late quiet moves of a node are hardly ever the best.
                if not again and ordering.leaves_rest(options, stack, layout, ply, here, is_pv, best):
                    stack[frame + NEXT] = end
                    continue

                # Step 10. Choose the window and the depth. After the first move of a principal variation the question
                # is only whether a move is better, for which a null window suffices. A late quiet move is first
                # searched less deeply. The frame remembers this for steps 7 and 17.
                exact = judged and ply == U0
                window, reduced = ordering.window_for_next(is_pv and not exact, best, stack[frame + WINDOW]), U0
                if options.selective and not exact:
                    reduced = ordering.reduction(options, stack, layout, ply, here, is_pv, best)
                    window = REDUCED if reduced != U0 else window
                    stack[frame + WINDOW] = window

                # Step 11. Make the move. A search that stops here leaves this iteration unfinished; its best move still
                # counts, because the first move that it tried was the best one of the iteration before.
                move, state, after = stack[here], at(stack, ply * layout.words), at(stack, (ply + U1) * layout.words)
                stack[frame + NEXT] = here + U1
                ordering.forget_line(stack, layout, ply + U1)
                rules.play(data, state, move, after)
                nodes += U1
                if must_stop(control, options, nodes, node_limit):
                    stopped, limit = True, limit_reached(control, options, nodes)
                    break
                left = stack[frame + BELOW] - reduced
                since = endings.plies_since(ctx, course, state, move, stack[frame + SINCE])
                key = key_if_needed(ctx, options, course, after, left, since)
                lower, upper = ordering.bounds_of_child(alpha, beta, window)
                child = Child(after, move, ply + U1, left, since, key, lower, upper)

                # Steps 12 to 15. Score the child without searching its moves, if possible.
                found = settle(ctx, options, course, ending, layout, child, end, depth, options.random_ties and is_pv)
                if found.searched != U0:
                    # Step 16. Enter the child, or rather a probe in its place: a search to a smaller depth that may
                    # predict the outcome (ProbCut). There is one probe for each move, and none if there is no choice.
                    table.announce(ctx.memory, options, stack[frame + LEFT], stack[layout.keys + ply], move)
                    stack[frame + WINDOW] = window
                    if options.cuts and not again and found.moves > U1 and left > U1:
                        probe, child = ordering.shallow_probe(ctx, limits, child, found.known)
                        stack[frame + WINDOW] += probe
                    enter_child(ctx, options, layout, course, child, end, found, is_pv and window == FULL)
                    ply = child.ply
                    continue

                # Step 17. The child needs no search. But if its move was reduced, the table may have settled it with a
                # result of the reduced depth only; a score above alpha needs the full depth, as in step 7.
                score = -found.score
                if options.reductions != 0.0 and ordering.search_deeper(stack, frame, here, score, alpha):
                    continue

            # Step 18. The move at `here` of the node at `ply` has this score, which a gate may replace at the root.
            # Keep the best one; with random ties, each of k equal moves of the root is kept with probability 1 / k.
            if judged and ply == U0:
                score = endings.score_by_gate(ctx, at(stack, layout.words), score, options.progress)
            better: Truth = score > scores[bounds + SCORE]
            if options.random_ties and ply == U0 and score >= scores[bounds + SCORE]:
                ties = U1 if better else ties + U1
                better = below(at(ctx.rng, U0), ties) == U0 or better
            if better:
                scores[bounds + SCORE] = score
                if stack[frame + LEFT] != U0:
                    stack[frame + BEST] = ordering.index_at(stack, here + layout.merits)
                if score > alpha:
                    scores[bounds + ALPHA] = score - margin if ply == U0 else score
                    if stack[frame + IS_PV] != U0:
                        ordering.update_line(stack, layout, ply, stack[here])
                    if ply == U0:
                        chosen, value, known_best = stack[here], score, stack[frame + BEST]

        # Step 19. End the iteration, and the search if a deeper one can find nothing better.
        if not stopped:
            control[slots.DEPTH] = np.int64(depth)
            if endings.is_settled(value, depth) or endings.is_converted(ending, value):
                limit = slots.BY_NONE
                break

    # Step 20. Stop the helpers, and answer.
    if options.helper == 0:
        nodes += np.uint64(ctx.crew(0))
    control[slots.NODES] += np.int64(nodes)
    control[slots.LIMIT] = limit
    answer.write_answer(out, chosen, nodes, at(stack, layout.lines + U1), stack[layout.lines])
    return value + 0.0  # no score is minus zero


@inline
def hand_out_node(ctx: Context, layout: Layout, ply: Word) -> None:
    """Hand out the node at `ply`, whose moves are searched or refuted, unless it belongs to quiescence.

    A node that is searched again with another window is handed out again: each time with what that window showed.
    """
    scores, bounds = ctx.scores, ply * BOUNDS
    score = scores[bounds + SCORE]
    if ctx.stack[layout.frames + ply * FRAME + LEFT] != U0:
        bound = answer.AT_MOST
        if score >= scores[bounds + BETA]:
            bound = answer.AT_LEAST
        elif score > scores[bounds + FLOOR]:
            bound = answer.EXACT
        used = layout.batch + (layout.words + U1) * ctx.rules.max_moves
        answer.hand_out(ctx.stack, used, layout.words, at(ctx.stack, ply * layout.words), score, bound)


class Found(NamedTuple):
    """What the search finds out about a child before it searches the child's moves."""

    searched: Word
    """Number of the child's moves that have to be searched; 0: `score` is the child's score."""
    score: Score
    """Score for the side to move in the child, without searching its moves."""
    moves: Word
    """Number of its legal moves."""
    noisy: Word
    """Number of its noisy moves, which come first."""
    known: int
    """Its result by an oracle, or UNKNOWN."""
    extended: Truth
    """Whether its only move takes no depth."""
    best: Word
    """Index of its best move by the table, or NO_MOVE, or NO_ENTRY."""


@inline
def settle(
    ctx: Context,
    options: Options,
    course: Course,
    ending: Ending,
    layout: Layout,
    child: Child,
    moves: Word,
    depth: Word,
    wants_exact: Truth,
) -> Found:
    """Score a child without searching its moves, if one of the steps below can; the cheapest come first.

    Its moves are written to the stack from `moves` on. `depth` is that of the iteration.
    """
    # Step 12. A repeated position is a draw. The table may know the score of any other from an earlier visit; if that
    # does not count here, it still knows the move to try first.
    best = table.NO_MOVE
    if endings.recurs(ctx, course, layout.keys, child):
        return Found(U0, 0.0, U0, U0, UNKNOWN, False, best)
    if child.left != U0 and options.table_bits != U0:
        settled, score, best = table.probe_table(ctx, options, course, child, wants_exact)
        if settled:
            return Found(U0, score, U0, U0, UNKNOWN, False, best)

    # Step 13. The game may be over or drawn by its history, or an oracle may know the result.
    state = child.state
    n = ctx.rules.gen(at(ctx.rules.data, U0), state, at(ctx.stack, moves))
    settled, score, known = endings.judge(ctx, course, child, n, ending.result)
    if settled:
        return Found(U0, score, n, U0, known, False, best)
    noisy = noisy_moves(ctx.rules, state, at(ctx.stack, moves), n)

    # Step 14. In a won ending a conversion ends the line. In a selective search, so does a quiet position near the
    # horizon that is hopeless, or more than good enough.
    settled, score = endings.judge_conversion(ctx, ending, child, noisy, known)
    if not settled and options.selective and child.left != U0:
        settled, score = ordering.is_futile(ctx, options, child, noisy, known)
    if settled:
        return Found(U0, score, n, noisy, known, False, best)

    # Step 15. Before the horizon all moves are searched, and an only move takes no depth: it decides nothing. (A search
    # for a conversion counts every ply, because it looks for the nearest one.) At the horizon only noisy moves are
    # searched, because no static score is reliable in the middle of an exchange.
    extended = options.forced and not ending.won and n == U1 and child.ply + child.left < options.last_ply
    searched, score = n, -ABOVE_ALL
    if child.left == U0 and not extended:
        searched, score = at_horizon(ctx, options, ending, depth, child, n, noisy, known)
    return Found(searched if score < child.beta else U0, score, n, noisy, known, extended, best)


@inline
def key_if_needed(ctx: Context, options: Options, course: Course, state: Words, left: Word, since: Word) -> Word:
    """The key of a child with this state, or 0 if neither the table nor a repetition asks for it: hashing takes time.

    The table holds no positions at the horizon, and they repeat none if the last moves were irreversible.
    """
    looks_up = left != U0 and options.table_bits != U0
    if endings.may_recur(course, since) or looks_up or (left != U0 and course.repetitions):
        return position_key(ctx.rules, at(ctx.rules.data, U0), state)
    return U0


@inline
def enter_root(ctx: Context, options: Options, layout: Layout, course: Course, depth: Word, best: Word) -> None:
    """Begin an iteration: rate the root's moves, the one with index `best` first, and open the window."""
    rules, stack, scores = ctx.rules, ctx.stack, ctx.scores
    root, moves = at(stack, U0), at(stack, layout.moves)
    n = rules.gen(at(rules.data, U0), root, moves)
    noisy = noisy_moves(rules, root, moves, n)
    ordering.rate(stack, layout, U0, layout.moves, n, noisy, best)
    frame = layout.frames
    stack[frame + NEXT], stack[frame + END] = layout.moves, layout.moves + n
    stack[frame + LEFT], stack[frame + BELOW] = depth, depth - U1
    stack[frame + SINCE], stack[frame + BEST] = course.past - U1, table.NO_MOVE
    stack[frame + IS_PV], stack[frame + WINDOW] = U1, FULL
    scores[SCORE], scores[ALPHA], scores[BETA], scores[FLOOR] = -ABOVE_ALL, -ABOVE_ALL, ABOVE_ALL, -ABOVE_ALL
    evaluator = ctx.evaluator
    if evaluator.accumulator != U0:
        accumulator = at(evaluator.accumulators, U0)
        evaluator.refresh(at(evaluator.data, U0), at(evaluator.weights, U0), root, accumulator)
    score_horizon(ctx, options, layout, U0)


@inline
def enter_child(
    ctx: Context,
    options: Options,
    layout: Layout,
    course: Course,
    child: Child,
    moves: Word,
    found: Found,
    is_pv: Truth,
) -> None:
    """Make the child the current node. Its moves begin at `moves`.

    In quiescence (no depth left) moves stay in the order of the rules, because they are few and not rated.
    """
    stack, scores = ctx.stack, ctx.scores
    frame, bounds = layout.frames + child.ply * FRAME, child.ply * BOUNDS
    stack[frame + NEXT], stack[frame + END] = moves, moves + found.searched
    left = child.left if found.extended else ordering.depth_of_child(options, child, found.best)
    stack[frame + LEFT], stack[frame + SINCE] = left, child.since
    stack[frame + BELOW] = left if found.extended or left == U0 else left - U1
    stack[frame + BEST], stack[frame + WINDOW] = table.NO_MOVE, FULL
    stack[frame + IS_PV] = U1 if is_pv else U0
    scores[bounds + SCORE], scores[bounds + ALPHA] = found.score, max(child.alpha, found.score)
    scores[bounds + BETA], scores[bounds + FLOOR] = child.beta, child.alpha
    if child.left != U0:
        stack[layout.keys + child.ply] = child.key
        ordering.rate(stack, layout, child.ply, moves, found.moves, found.noisy, found.best)
    elif course.repetitions:
        stack[layout.keys + child.ply] = position_key(ctx.rules, at(ctx.rules.data, U0), child.state)
    if ctx.evaluator.accumulator != U0:
        table.accumulate(ctx, child)
    score_horizon(ctx, options, layout, child.ply)


@inline
def pick_move(ctx: Context, options: Options, layout: Layout, frame: Word, ply: Word, best: Score) -> bool:
    """Bring the best of the remaining moves to the front. If another thread searches it, put it off and return False.

    The first move of a node is never put off, because its score sets the window of the others.
    """
    stack = ctx.stack
    here, left = stack[frame + NEXT], stack[frame + LEFT]
    merit = here + layout.merits
    if left != U0:
        ordering.bring_forward(stack, layout.merits, here, stack[frame + END])
    may_wait = table.is_shared(options, left) and best > -ABOVE_ALL and not ordering.is_put_off(stack, merit)
    if may_wait and table.is_busy(ctx.memory, stack[layout.keys + ply], stack[here]):
        ordering.put_off(stack, merit)
        return False
    return True


@inline
def finish_node(ctx: Context, options: Options, layout: Layout, ply: Word) -> None:
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
            ordering.refuted_after(stack, layout, ply, here, left)
        else:
            ordering.refuted(stack, layout, ply, here, left)
    if options.table_bits != U0:
        index = stack[frame + BEST]
        bound = table.LOWER if score >= beta else table.EXACT if score > scores[bounds + FLOOR] else table.UPPER
        if bound == table.UPPER:  # no move was shown to be the best, only that none is better than alpha
            index = table.NO_MOVE
        key = stack[layout.keys + ply]
        table.keep(ctx.memory, options.table_bits, key, endings.from_here(score, ply), bound, left, index)


@inline
def at_horizon(
    ctx: Context, options: Options, ending: Ending, depth: Word, child: Child, n: Word, noisy: Word, known: int
) -> tuple[Word, Score]:
    """Score a child at the horizon; returns (number of moves for quiescence to search, score without them).

    If one of its n moves is quiet, the side to move may stop here, so the static score is a lower bound. If all moves
    are noisy it must choose one of them, so there is no score. If an oracle knows the result, no moves are searched.
    """
    searched = noisy if options.quiescence and child.ply < options.last_ply else U0
    if searched == n:
        return searched, -ABOVE_ALL
    score = table.cached_score(ctx, options, child)
    if known != UNKNOWN:
        return U0, endings.score_at_horizon(ending, depth, known, score)
    if oracles.gated_at_leaves(ctx.oracle.gate):
        result = oracles.ask_gated(ctx, child.state, score)
        if result != UNKNOWN:
            return U0, endings.oracle_score_at_leaf(result, ctx.oracle.out, child.ply, score, options.progress)
    return searched, score
