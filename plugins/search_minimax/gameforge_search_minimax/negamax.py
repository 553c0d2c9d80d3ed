"""The kernel of `alphabeta`: negamax with iterative deepening, as one loop over an explicit stack.

Principal variation search, a transposition table, ordered moves, and beyond the horizon a search of noisy
moves alone. Kernels allocate nothing and do not call themselves. README tells the algorithm and its choices.
"""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN
from gameforge.interfaces.searcher import MAX_LINE
from gameforge.kernel.abi import RUNNING, UNKNOWN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.clock import nanoseconds
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import ASKED, GATE_LEAVES, GATE_ROOT, STOP
from gameforge.kernel.context import DEPTH as DEPTH_REACHED
from gameforge.kernel.context import NODES as NODES_SO_FAR
from gameforge.kernel.evaluate import ask_gated, ask_oracles, static_score
from gameforge.kernel.keys import position_key
from gameforge.kernel.random import below
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.ordering import HISTORY_WORDS, bring_forward, index_at, is_put_off, put_off, rate, refuted
from gameforge_search_minimax.recurrence import recurs
from gameforge_search_minimax.scores import finished, from_here, from_root, guided, kept, told, told_at_leaf
from gameforge_search_minimax.sharing import BUSY_WORDS, LEAST_DEPTH, errand, place

DEPTH, NODES, TIME, TABLE_BITS, QUIESCENCE, FORCED, DRAWS, PROGRESS, PLIES, RANDOM_TIES, WORKERS, HELPER = range(12)
"""The block limits. TIME in nanoseconds, TABLE_BITS 0 without a table; PLIES the stack has room for."""
QUIET_PLIES = 40
"""Plies that noisy and only moves may lead beyond the horizon."""

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_ABOVE_ALL = 4.0
_LEAST = 2.0**-30
"""Width of a null window: no two float32 scores that matter are closer."""
_CLOCK_MASK = np.uint64(31)
_HISTORY_WORDS = np.uint64(HISTORY_WORDS)

# A frame: what a node keeps while its moves are searched, in words of the stack ...
_NEXT, _END, _LEFT, _BELOW, _SINCE, _BEST, _IS_PV, _WINDOW = (np.uint64(i) for i in range(8))
_FRAME = np.uint64(8)
# ... and in scores.
_SCORE, _ALPHA, _BETA, _FLOOR = (np.uint64(i) for i in range(4))
_SCORES = np.uint64(4)
_FULL, _NULL, _FULL_AGAIN = _0, _1, _2
"""Windows of the child that is searched: a null window that was too low is searched again."""


def stack_words(plies: int, words: int, max_moves: int) -> int:
    """Words of ctx.stack: per ply a state, a key, a frame, a line and two killers; the history; moves and merits."""
    per_ply = words + 1 + int(_FRAME) + (plies + 2) + 2
    return (plies + 1) * per_ply + HISTORY_WORDS + 2 * (plies + 1) * max_moves


@inline
def _rounded(score: Any) -> Any:
    """As the table holds it: scores do not change by being stored."""
    return np.float64(np.float32(score))


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """`limits` as named above; helpers (limits[HELPER] > 0) fill the table for the search that called them."""
    rules, stack, scores, memory, control = ctx.rules, ctx.stack, ctx.scores, ctx.memory, ctx.control
    data, words = at(rules.data, _0), rules.words
    helper, quiescence, draws = limits[HELPER], limits[QUIESCENCE] != 0, limits[DRAWS] != 0
    forced = limits[FORCED] != 0
    bits, last_ply, deepest = np.uint64(limits[TABLE_BITS]), np.uint64(limits[PLIES]), np.uint64(limits[DEPTH])
    most_nodes, deadline = ~_0, np.int64(0)
    if limits[NODES] > 0 and helper == 0:
        most_nodes = np.uint64(limits[NODES])
    if limits[TIME] > 0 and helper == 0:
        deadline = (control[ASKED] if control[ASKED] != 0 else nanoseconds()) + limits[TIME]
    control[ASKED] = 0

    shares = bits != _0 and limits[WORKERS] > 1
    # Moves of the root that may be as good as the best are searched until they are known to be, or not.
    exact = limits[RANDOM_TIES] != 0 and helper == 0
    below_best, equals = _LEAST if exact else 0.0, _0

    plies = last_ply + _1
    line_words = plies + _1
    keys = plies * words
    frames = keys + plies
    lines = frames + plies * _FRAME
    killers = lines + plies * line_words
    history = killers + plies * _2
    all_moves = history + _HISTORY_WORDS
    merits = plies * rules.max_moves  # from a move to its merit
    for i in range(killers, all_moves):
        stack[i] = _0
    for i in range(words):
        stack[i] = s[i]

    root = at(stack, _0)
    n = rules.gen(data, root, at(stack, all_moves))
    code = rules.outcome(data, root, n)
    out[0], out[1], out[2] = _0, _1, _0
    control[DEPTH_REACHED] = 0
    if code != RUNNING:
        control[NODES_SO_FAR] += 1
        return finished(code & 3, _0)
    key = position_key(rules, data, root)
    stack[keys] = key
    past = ctx.history[_0]
    if past == _0 or ctx.history[past] != key:  # searched outside of a game
        past = _1
    no_progress, plies_left = ~_0, ~_0
    if draws:
        plies_left = np.uint64(max(ctx.draws[2] - ctx.counters[0], 1))
        if ctx.draws[1] > 0:
            no_progress = np.uint64(ctx.draws[1])
    repetitions = draws and (ctx.draws[0] > 0 or ctx.draws[3] > 0)
    gate_at_leaves, gate_at_root = ctx.oracle.gate == GATE_LEAVES, ctx.oracle.gate == GATE_ROOT
    if helper == 0:
        if bits != _0:
            table.next_search(memory)
        if shares:
            for i in range(BUSY_WORDS):
                memory[np.uint64(len(memory)) - np.uint64(i) - _1] = _0
        ctx.crew(1)

    root_result = UNKNOWN  # what an oracle says of the root without a distance
    if limits[PROGRESS] != 0:
        known = ask_oracles(ctx, root)
        if ctx.oracle.out[_0] == _0:
            root_result = known

    nodes, value, stopped = _1, 0.0, False
    known_best = table.NO_MOVE
    depth = _0
    if helper & 1 and deepest > _1:
        depth = _1  # a helper that is a ply ahead leaves more for the others to find
    while depth < deepest and not stopped:
        depth += _1
        n = rules.gen(data, root, at(stack, all_moves))
        noisy = _0
        if rules.has_noisy != _0:
            noisy = rules.noisy(data, root, at(stack, all_moves), n)
        if depth == _1:
            out[0] = stack[all_moves]
        rate(stack, all_moves, all_moves + merits, n, noisy, known_best, _0, killers, history)
        ply = _0
        stack[frames + _NEXT], stack[frames + _END], stack[frames + _LEFT] = all_moves, all_moves + n, depth
        stack[frames + _BELOW] = depth - _1
        stack[frames + _SINCE], stack[frames + _BEST] = past - _1, table.NO_MOVE
        stack[frames + _IS_PV], stack[frames + _WINDOW] = _1, _FULL
        scores[_SCORE], scores[_ALPHA] = -_ABOVE_ALL, -_ABOVE_ALL
        scores[_BETA], scores[_FLOOR] = _ABOVE_ALL, -_ABOVE_ALL
        while True:
            frame, bounds = frames + ply * _FRAME, ply * _SCORES
            here, end, left = stack[frame + _NEXT], stack[frame + _END], stack[frame + _LEFT]
            alpha, beta, best = scores[bounds + _ALPHA], scores[bounds + _BETA], scores[bounds + _SCORE]
            if here == end or best >= beta:  # the node is done: back to its parent
                if left != _0:
                    if best >= beta:
                        refuted(stack, stack[here - _1], left, ply, killers + ply * _2, history)
                    if bits != _0:
                        floor, best_index = scores[bounds + _FLOOR], stack[frame + _BEST]
                        bound = table.LOWER if best >= beta else table.EXACT if best > floor else table.UPPER
                        if bound == table.UPPER:
                            best_index = table.NO_MOVE
                        table.keep(memory, bits, stack[keys + ply], from_here(best, ply), bound, left, best_index)
                if ply == _0:
                    break
                score = -best
                ply -= _1
                frame -= _FRAME
                bounds -= _SCORES
                here = stack[frame + _NEXT] - _1
                if shares and stack[frame + _LEFT] >= LEAST_DEPTH:
                    task = errand(stack[keys + ply], stack[here])
                    if memory[place(memory, task)] == task:
                        memory[place(memory, task)] = _0
                alpha, beta = scores[bounds + _ALPHA], scores[bounds + _BETA]
                if stack[frame + _WINDOW] == _NULL and alpha < score < beta:
                    stack[frame + _NEXT] = here
                    stack[frame + _WINDOW] = _FULL_AGAIN
                    continue
            else:  # the next move of the node
                is_pv, window = stack[frame + _IS_PV] != _0, stack[frame + _WINDOW]
                if window == _FULL_AGAIN:
                    window = _FULL
                else:
                    window = _NULL if is_pv and best > -_ABOVE_ALL else _FULL
                    if left != _0:
                        bring_forward(stack, merits, here, end)
                    if shares and left >= LEAST_DEPTH and best > -_ABOVE_ALL and not is_put_off(stack, here + merits):
                        task = errand(stack[keys + ply], stack[here])
                        if memory[place(memory, task)] == task:
                            put_off(stack, here + merits)
                            continue
                stack[frame + _NEXT] = here + _1
                move = stack[here]
                lower, upper = -beta, -alpha
                if window == _NULL:
                    lower = upper - _LEAST
                child_ply = ply + _1
                child = at(stack, child_ply * words)
                child_left = stack[frame + _BELOW]
                stack[lines + child_ply * line_words] = _0
                rules.play(data, at(stack, ply * words), move, child)
                nodes += _1
                if control[STOP] != 0 or nodes >= most_nodes:
                    stopped = True
                    break
                if deadline != 0 and nodes & _CLOCK_MASK == _0 and nanoseconds() >= deadline:
                    stopped = True
                    break

                score = 0.0
                decided: Any = False
                since = _0
                if draws and rules.irreversible(data, at(stack, ply * words), move) == _0:
                    since = stack[frame + _SINCE] + _1
                may_recur = repetitions and since > _1
                if may_recur or (child_left != _0 and (bits != _0 or repetitions)):
                    key = position_key(rules, data, child)
                    decided = may_recur and recurs(ctx, keys, past, key, child_ply, since)
                ends = since >= no_progress or child_ply >= plies_left
                table_index = table.NO_MOVE
                if not decided and child_left != _0 and bits != _0:
                    entry = table.find(memory, bits, key)
                    if entry != _0:
                        table_index = table.index_of(entry)
                        if upper - lower <= 2 * _LEAST and not ends and table.depth_of(entry) >= child_left:
                            score, bound = from_root(table.score_of(entry), child_ply), table.bound_of(entry)
                            decided = (
                                bound == table.EXACT
                                or (bound == table.LOWER and score >= upper)
                                or (bound == table.UPPER and score <= lower and not (exact and is_pv))
                            )
                if not decided:
                    n = rules.gen(data, child, at(stack, end))
                    code = rules.outcome(data, child, n)
                    known = UNKNOWN
                    if code == RUNNING and not ends:
                        known = ask_oracles(ctx, child)
                        if gate_at_root and child_ply == _1 and known == UNKNOWN:
                            known = ask_gated(ctx, child, static_score(ctx.evaluator, child))
                    if code != RUNNING:
                        score = finished(code & 3, child_ply)
                    elif ends:
                        score = 0.0
                    elif known != UNKNOWN and not (ctx.oracle.out[_0] == _0 and known == kept(root_result, child_ply)):
                        score = told(known, ctx.oracle.out, child_ply)
                    else:
                        noisy = _0
                        if rules.has_noisy != _0:
                            noisy = rules.noisy(data, child, at(stack, end), n)
                        floor, searched = lower, n
                        best = -_ABOVE_ALL
                        only = forced and n == _1 and child_ply + child_left < last_ply
                        if child_left == _0 and not only:
                            searched = noisy if quiescence and child_ply < last_ply else _0
                            if searched < n:  # the side to move may stop here
                                best = _rounded(static_score(ctx.evaluator, child))
                                if known != UNKNOWN:
                                    searched, best = _0, guided(known, best)
                                elif gate_at_leaves:
                                    known = ask_gated(ctx, child, best)
                                    if known != UNKNOWN:
                                        searched, answer = _0, ctx.oracle.out
                                        best = told_at_leaf(known, answer, child_ply, best, limits[PROGRESS] != 0)
                                floor = max(lower, best)
                        if searched != _0 and best < upper:
                            if shares and left >= LEAST_DEPTH:
                                task = errand(stack[keys + ply], move)
                                memory[place(memory, task)] = task
                            ply = child_ply
                            stack[frame + _WINDOW] = window
                            frame += _FRAME
                            bounds += _SCORES
                            stack[frame + _NEXT], stack[frame + _END] = end, end + searched
                            stack[frame + _LEFT], stack[frame + _SINCE] = child_left, since
                            stack[frame + _BELOW] = child_left if only or child_left == _0 else child_left - _1
                            stack[frame + _BEST], stack[frame + _WINDOW] = table.NO_MOVE, _FULL
                            stack[frame + _IS_PV] = _1 if is_pv and window == _FULL else _0
                            scores[bounds + _SCORE], scores[bounds + _ALPHA] = best, floor
                            scores[bounds + _BETA], scores[bounds + _FLOOR] = upper, lower
                            if child_left != _0:
                                stack[keys + ply] = key
                                rate(stack, end, end + merits, n, noisy, table_index, ply, killers + ply * _2, history)
                            elif repetitions:
                                stack[keys + ply] = position_key(rules, data, child)
                            continue
                        score = best
                score = -score

            # The move at `here` of the node at `ply` has this score.
            drawn: Any = False
            if exact and ply == _0 and score >= scores[bounds + _SCORE]:
                equals = equals + _1 if score == scores[bounds + _SCORE] else _1
                drawn = below(at(ctx.rng, _0), equals) == _0
            if score > scores[bounds + _SCORE] or drawn:
                scores[bounds + _SCORE] = score
                if stack[frame + _LEFT] != _0:
                    stack[frame + _BEST] = index_at(stack, here + merits)
                if score > alpha:
                    scores[bounds + _ALPHA] = score - below_best if ply == _0 else score
                    if stack[frame + _IS_PV] != _0:
                        line = lines + ply * line_words
                        length = stack[line + line_words] + _1
                        stack[line], stack[line + _1] = length, stack[here]
                        for i in range(_1, length):
                            stack[line + _1 + i] = stack[line + line_words + i]
                        if ply == _0:
                            value, known_best = score, stack[frame + _BEST]
                            length = min(length, np.uint64(MAX_LINE))
                            out[0], out[2] = stack[here], length
                            for i in range(length):
                                out[_3 + i] = stack[line + _1 + i]
        if not stopped:
            control[DEPTH_REACHED] = np.int64(depth)
            if abs(value) > ORACLE_WIN and PROVEN_WIN - abs(value) <= np.float64(depth) * PLY:
                break  # nothing nearer is left to find

    if helper == 0:
        nodes += np.uint64(ctx.crew(0))
    control[NODES_SO_FAR] += np.int64(nodes)
    out[1] = nodes
    return value + 0.0  # no score is minus zero
