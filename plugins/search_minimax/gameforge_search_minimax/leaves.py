"""Leaves of `minimax`: positions after the moves of one node, which are scored together.

Several leaves cost less together than one by one: the processor begins the next one while it waits for the results of
the last. A cutoff would make some of them needless, so they come in small groups.
"""

from typing import NamedTuple

from gameforge.interfaces import DRAW, RUNNING, WIN, WON
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    CompiledEvaluator,
    Context,
    Score,
    Truth,
    Word,
    Words,
    at,
    inline,
    oracles,
    static_scores,
)
from gameforge_search_minimax import exact_table


class Leaves(NamedTuple):
    """Offsets of the workspace of one group of leaves, and how they are scored."""

    states: Word
    """In ctx.stack: the states that the evaluator scores."""
    places: Word
    """In ctx.stack: the place of each of them in the group."""
    entries: Word
    """In ctx.stack: the entry of each of them in the table."""
    moves: Word
    """In ctx.stack: room for the moves of one leaf."""
    scores: Word
    """In ctx.scores: the scores of the group, for the side that moves to the leaves; then the static ones."""
    uses_table: Truth
    mark: Word
    """Mark of leaves in the table."""
    gated: Truth
    """Whether gated oracles are consulted."""


@inline
def exact(result: int) -> Score:
    """Score of a WIN, LOSS or DRAW for the side to move."""
    if result == DRAW:
        return 0.0
    return WON if result == WIN else -WON


@inline
def group_size(evaluator: CompiledEvaluator, n: Word) -> Word:
    """Number of leaves of a node with n moves that are scored together.

    All, if that costs no more than to score one; two of a net; else one, after which the search may have to stop.
    """
    if evaluator.has_values != U0:
        return n
    return U2 if evaluator.is_net != U0 else U1


@inline
def score_leaves(ctx: Context, leaves: Leaves, state: Words, moves: Words, n: Word) -> None:
    """Score the positions after n moves of a state in which the game goes on."""
    rules, stack, scores = ctx.rules, ctx.stack, ctx.scores
    data, words, size = at(rules.data, U0), rules.words, U0
    table = at(ctx.memory, exact_table.FIRST)
    for i in range(n):
        leaf = at(stack, leaves.states + size * words)
        rules.play(data, state, moves[i], leaf)
        entry = U0
        if leaves.uses_table:
            entry = exact_table.place_of(leaf, words)
            if table[entry] == leaves.mark and exact_table.is_of(table, entry, leaf, words):
                scores[leaves.scores + i] = -exact_table.score_of(table, entry)
                continue
        if rules.has_ended != U0:
            code = rules.ended(data, leaf)
        else:
            code = rules.outcome(data, leaf, rules.gen(data, leaf, at(stack, leaves.moves)))
        if code != RUNNING:
            scores[leaves.scores + i] = -exact(code & 3)
            continue
        known = oracles.ask_oracles(ctx, leaf) if ctx.oracle.size != U0 else UNKNOWN
        if known != UNKNOWN:
            scores[leaves.scores + i] = -exact(known)
            continue
        stack[leaves.places + size], stack[leaves.entries + size] = i, entry
        size += U1
    found = leaves.scores + n
    static_scores(ctx.evaluator, words, at(stack, leaves.states), size, at(scores, found))
    for i in range(size):
        leaf, score = at(stack, leaves.states + i * words), scores[found + i]
        known = oracles.ask_gated(ctx, leaf, score) if leaves.gated else UNKNOWN
        if known != UNKNOWN:
            score = exact(known)
        if leaves.uses_table:
            exact_table.keep(table, stack[leaves.entries + i], leaf, words, leaves.mark, score, U0)
        scores[leaves.scores + stack[leaves.places + i]] = -score
