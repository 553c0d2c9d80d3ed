"""Evaluators that score many states for the price of one: the leaves of a node are scored together.

`alphabeta` gathers the positions after a node's moves when it enters a node whose moves lead to the horizon, and keeps
their scores in the evaluation cache, where the search finds them. `minimax` has no cache and keeps them beside the
stack. Neither changes the search: a score that is already there replaces the same score. A cutoff makes some needless.
"""

import numpy as np

from gameforge.interfaces import RUNNING
from gameforge.kernel import (
    U0,
    U1,
    CompiledRules,
    Context,
    Word,
    Words,
    at,
    inline,
    position_key,
    static_scores,
)
from gameforge_search_minimax import table
from gameforge_search_minimax.ordering import BELOW, BOUNDS, END, FRAME, NEXT, Layout
from gameforge_search_minimax.settings import Options


@inline
def noisy_moves(rules: CompiledRules, state: Words, moves: Words, n: Word) -> Word:
    """Move the noisy moves to the front; returns their number."""
    return rules.noisy(at(rules.data, U0), state, moves, n) if rules.has_noisy != U0 else U0


@inline
def score_horizon(ctx: Context, options: Options, layout: Layout, ply: Word) -> None:
    """If the moves of the node at `ply` lead to the horizon, score the positions after them that a search would score.

    Left out are those that are known already, in which the game is over, or in which quiescence must go on.
    """
    stack, rules = ctx.stack, ctx.rules
    frame = layout.frames + ply * FRAME
    if ctx.evaluator.has_values == U0 or options.table_bits == U0 or stack[frame + BELOW] != U0:
        return
    data, end, after = at(rules.data, U0), stack[frame + END], at(stack, stack[frame + END])
    keys, size = layout.batch + rules.max_moves * layout.words, U0
    for i in range(stack[frame + NEXT], end):
        child = at(stack, layout.batch + size * layout.words)
        rules.play(data, at(stack, ply * layout.words), stack[i], child)
        n = rules.gen(data, child, after)
        if rules.outcome(data, child, n) != RUNNING:
            continue
        if options.quiescence and ply + U1 < options.last_ply and noisy_moves(rules, child, after, n) == n:
            continue
        key = position_key(rules, data, child)
        if not table.has_score(ctx.memory, options.table_bits, key):
            stack[keys + size] = key
            size += U1
    if size > U1:
        found = at(ctx.scores, (options.last_ply + U1) * BOUNDS)
        static_scores(ctx.evaluator, layout.words, at(stack, layout.batch), size, found)
        for i in range(size):
            table.keep_score(ctx.memory, options.table_bits, stack[keys + i], found[i])


@inline
def score_leaves(ctx: Context, state: Words, first: Word, end: Word, batch: Word, scores: Word) -> Word:
    """Score the positions after the moves stack[first:end] of a state in which the game goes on; return their number.

    Their moves are written to stack[batch] and the words after it, followed by their states, and their scores to
    ctx.scores[scores] and the numbers after it.
    """
    stack, rules, size = ctx.stack, ctx.rules, U0
    states = batch + rules.max_moves
    for i in range(first, end):
        child = at(stack, states + size * rules.words)
        rules.play(at(rules.data, U0), state, stack[i], child)
        n = rules.gen(at(rules.data, U0), child, at(stack, end))
        if rules.outcome(at(rules.data, U0), child, n) == RUNNING:
            stack[batch + size] = stack[i]
            size += U1
    static_scores(ctx.evaluator, rules.words, at(stack, states), size, at(ctx.scores, scores))
    return size


@inline
def place_of(moves: Words, n: Word, move: Word) -> Word:
    """Return the index of a move among n moves; n if it is not one of them."""
    for i in range(n):
        if moves[i] == move:
            return np.uint64(i)
    return n
