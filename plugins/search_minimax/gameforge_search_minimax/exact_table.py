"""What `minimax` keeps beside its stack: the history of its moves, a table with whole states, and groups of leaves.

Without draws by the history of the game, the score of a position follows from the state and the plies left alone. It
does not depend on the moves before, nor on the order of the search. So a stored score may replace a search that would
find the same. An entry holds the whole state, not a hash of it, because two states with one hash might change a move.
Its score is only read by the search that wrote it, since the weights may change between two searches, in the same
iteration, and with as many plies left. Its move is a good guess in later iterations, too, and in the next search of the
same game: its root, and what follows, was searched by the last one already, two plies below its own root.

An entry is its mark, its score as the bits of a float64, its move, and the state. The mark has, from the highest bit
on, the number of the search, the depth of the iteration (6 bits), the plies left (6 bits) and the kind of bound (2
bits). A new entry replaces the old one at its place. The number of the last search comes before the entries, and that
of the oldest search whose moves are guesses.

Leaves are positions after the moves of one node. Several cost less together than one by one: the processor begins the
next one while it waits for the results of the last. A cutoff would make some of them needless, so they come in small
groups.
"""

from typing import NamedTuple

import numpy as np

from gameforge.interfaces import DRAW, RUNNING, WIN, WON
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U3,
    UNKNOWN,
    CompiledEvaluator,
    Context,
    Score,
    Truth,
    Word,
    Words,
    at,
    gameplay,
    inline,
    oracles,
    static_scores,
)
from gameforge_search_minimax.table import HEADER_WORDS, SCATTER

HISTORY_BITS = 10
HISTORY_WORDS = 1 << HISTORY_BITS
HISTORY, FIRST = HEADER_WORDS, HEADER_WORDS + np.uint64(HISTORY_WORDS)
"""Indices in ctx.memory of the history, which follows the header that `continues_game` uses, and of the table."""
UPPER, LOWER, EXACT = U0, U1, U2
"""Kinds of bounds: the true score is at most the stored one, at least, or just that."""
NO_MOVE = ~U0
"""Stands for a move that is not known."""
_NUMBER, _OLDEST, _ENTRIES = U0, U1, U2
"""Indices in the table: the number of the search, that of the oldest one whose moves are guesses, and the entries."""
_MARK, _SCORE, _MOVE, _STATE = U0, U1, U2, U3
"""Indices in an entry."""
_BITS = 12
_SHIFT = np.uint64(64 - _BITS)
_LEFT_SHIFT, _DEPTH_SHIFT, _NUMBER_SHIFT = (np.uint64(n) for n in (2, 8, 14))
_BOUND_MASK = U3


def memory_words(words: int) -> int:
    """Number of words of ctx.memory with a table for states of this number of words; 0: without a table."""
    return int(FIRST) + (int(_ENTRIES) + ((int(_STATE) + words) << _BITS) if words else 0)


@inline
def mark_of(table: Words, depth: Word, left: Word, bound: Word) -> Word:
    """The mark of entries of this search, in the iteration of this depth, with so many plies left."""
    return (table[_NUMBER] << _NUMBER_SHIFT) | (depth << _DEPTH_SHIFT) | (left << _LEFT_SHIFT) | bound


@inline
def place_of(state: Words, words: Word) -> Word:
    """Index of the entry for a state."""
    h = U0
    for i in range(words):
        h = (h + state[i]) * SCATTER
    return _ENTRIES + (h >> _SHIFT) * (_STATE + words)


@inline
def is_of(table: Words, entry: Word, state: Words, words: Word) -> Truth:
    """Whether an entry holds this state."""
    for i in range(words):  # noqa: SIM110  numba compiles no generator
        if table[entry + _STATE + i] != state[i]:
            return False
    return True


@inline
def keep(table: Words, entry: Word, state: Words, words: Word, mark: Word, score: Score, move: Word) -> None:
    """Store the score of a state and its best move."""
    table[entry + _MARK], table[entry + _SCORE], table[entry + _MOVE] = mark, np.float64(score).view(np.uint64), move
    for i in range(words):
        table[entry + _STATE + i] = state[i]


@inline
def score_of(table: Words, entry: Word) -> Score:
    """The score of an entry."""
    return np.uint64(table[entry + _SCORE]).view(np.float64)


@inline
def guess_of(table: Words, entry: Word) -> Word:
    """The best move of an entry that holds the state, or NO_MOVE if it was written in another game."""
    return table[entry + _MOVE] if table[entry] >> _NUMBER_SHIFT >= table[_OLDEST] else NO_MOVE


@inline
def next_search(table: Words, root: Words, words: Word, same_game: Truth) -> Word:
    """Begin a search: scores of earlier ones are no longer read, and their moves only if they are of the same game.

    Returns the move that is known for the root, or NO_MOVE.
    """
    table[_NUMBER] += U1
    if not same_game:
        table[_OLDEST] = table[_NUMBER]
    entry = place_of(root, words)
    return guess_of(table, entry) if is_of(table, entry, root, words) else NO_MOVE


@inline
def settles(table: Words, entry: Word, mark: Word, alpha: Score, beta: Score) -> Truth:
    """Whether an entry that holds the state shows that its score is outside a window; `mark` is one without a bound.

    A score inside the window does not count, so that the line of the search is complete.
    """
    found = table[entry] ^ mark
    if found > _BOUND_MASK:
        return False
    score = score_of(table, entry)
    return score >= beta if found == LOWER else score <= alpha


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
    table = at(ctx.memory, FIRST)
    for i in range(n):
        leaf = at(stack, leaves.states + size * words)
        rules.play(data, state, moves[i], leaf)
        entry = U0
        if leaves.uses_table:
            entry = place_of(leaf, words)
            if table[entry] == leaves.mark and is_of(table, entry, leaf, words):
                scores[leaves.scores + i] = -score_of(table, entry)
                continue
        code = gameplay.code_of(rules, leaf, at(stack, leaves.moves))
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
            keep(table, stack[leaves.entries + i], leaf, words, leaves.mark, score, NO_MOVE)
        scores[leaves.scores + stack[leaves.places + i]] = -score
