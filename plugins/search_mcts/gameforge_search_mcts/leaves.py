"""Back up the values of leaves: at once, or when the evaluator has scored several of them in one call.

A leaf waits until there are enough for a call. Meanwhile each move that led to it has a visit more, which counts as
lost for the side that made it (virtual loss, [Chaslot2008c]). So the next simulations try other moves, unless these are
much worse. When the leaf is scored, its value takes the place of the losses.
"""

import numpy as np

from gameforge.kernel import U0, U1, Context, Word, Words, at, inline, static_scores
from gameforge_search_mcts import tree
from gameforge_search_mcts.selection import credit_moves
from gameforge_search_mcts.tree import DEEPEST

RECORDED = np.uint64(1024)
"""Maximum number of moves of a random game that count for RAVE."""

PLY, END, GAINED, PATH = (np.uint64(i) for i in range(4))
"""A waiting leaf: its plies below the root, the plies of its simulation, the utility of the random game for the side
that moved to the leaf, and the edges of its line. The moves of the simulation follow."""
_TAKEN = PATH + DEEPEST + U1
_LEAF = _TAKEN + DEEPEST + RECORDED


def waiting_words(words: int, batch: int) -> int:
    """Words of workspace for this many leaves: their states, one after the other, then what is kept of each."""
    return batch * (words + int(_LEAF))


@inline
def back_up(
    memory: Words, path: Words, taken: Words, ply: Word, end: Word, gained: Word, visit: Word, records: bool
) -> None:
    """Let each edge of a line count a value, which is that for the side that moved along the last one.

    path: the edges, `ply` of them below the root's. visit: 1, or 0 if the edges have counted the visit before. records:
    whether the moves of the simulation, `end` of them in `taken`, count for RAVE.
    """
    while True:
        edge = path[ply]
        memory[edge + tree.VISITS] += visit
        memory[edge + tree.TOTAL] += gained
        if ply == U0:
            break
        ply -= U1
        if records:
            credit_moves(memory, memory[path[ply] + tree.LINK], taken, ply, end, gained)
        gained = tree.WHOLE - gained


@inline
def shared_value(played: Word, judged: Word, share: float) -> Word:
    """The utility of a leaf: that of a random game, with this share of the evaluator's in it."""
    if share == 1.0:
        return judged
    return np.uint64((1.0 - share) * np.float64(played) + share * np.float64(judged))


@inline
def keep_waiting(
    ctx: Context,
    waiting: Words,
    batch: Word,
    i: Word,
    state: Words,
    path: Words,
    taken: Words,
    ply: Word,
    end: Word,
    gained: Word,
    records: bool,
) -> None:
    """Let a leaf wait as number i of at most `batch`; until its value is known, its line counts as lost.

    waiting: the workspace, of `waiting_words`. The other parameters are those of `back_up`.
    """
    memory, words = ctx.memory, ctx.rules.words
    leaf = at(waiting, batch * words + i * _LEAF)
    leaf[PLY], leaf[END], leaf[GAINED] = ply, end, gained
    for j in range(words):
        waiting[i * words + j] = state[j]
    for j in range(ply + U1):
        leaf[PATH + j] = path[j]
        memory[path[j] + tree.VISITS] += U1
    if records:
        for j in range(end):
            leaf[_TAKEN + j] = taken[j]


@inline
def score_waiting(ctx: Context, waiting: Words, batch: Word, n: Word, share: float, records: bool) -> None:
    """Let the evaluator score the first n waiting leaves in one call, and back up their values."""
    words = ctx.rules.words
    static_scores(ctx.evaluator, words, waiting, n, at(ctx.scores, U0))
    for i in range(n):
        leaf = at(waiting, batch * words + i * _LEAF)
        gained = shared_value(leaf[GAINED], tree.utility(-ctx.scores[i]), share)
        back_up(ctx.memory, at(leaf, PATH), at(leaf, _TAKEN), leaf[PLY], leaf[END], gained, U0, records)
