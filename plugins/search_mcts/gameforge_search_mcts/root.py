"""What the tree searches of this plugin share: their clock, and how draws and oracles at the root bear on leaves."""

import numpy as np

from gameforge.interfaces import DRAW, WIN
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    Context,
    Truth,
    Whole,
    Word,
    Words,
    at,
    inline,
    nanoseconds,
    oracles,
    position_key,
    slots,
    static_score,
)
from gameforge_search_mcts import tree


@inline
def begin_clock(ctx: Context, limit: Whole) -> Whole:
    """Return the time at which a search ends, on the clock of `nanoseconds`; 0 without a limit in nanoseconds.

    The budget of a clock takes the place of the searcher's own `limit`, which is 0 if there is none.
    """
    control = ctx.control
    deadline: Whole = np.int64(0)
    time = control[slots.BUDGET] if control[slots.BUDGET] > 0 else limit
    if time > 0:  # the clock runs from the request on, which may have waited for kernels to load
        deadline = (control[slots.ASKED] if control[slots.ASKED] != 0 else nanoseconds()) + time
    control[slots.ASKED], control[slots.DEPTH] = 0, 0
    return deadline


@inline
def draws_ahead(ctx: Context) -> tuple[Truth, Word, Word]:
    """Return whether repetitions are draws, the plies without progress that make a draw, and the plies to the cap."""
    repetitions = ctx.draws[slots.DRAW_REPETITION] > 0
    no_progress = np.uint64(ctx.draws[slots.DRAW_NO_PROGRESS]) if ctx.draws[slots.DRAW_NO_PROGRESS] > 0 else ~U0
    return repetitions, no_progress, np.uint64(max(ctx.draws[slots.DRAW_MAX_PLIES] - ctx.counters[slots.PLIES], 1))


@inline
def place_in_game(ctx: Context, s: Words) -> tuple[Word, Word]:
    """Return the key of the root `s` and its index in ctx.history, which is 1 for a search outside of a game."""
    key, past = position_key(ctx.rules, at(ctx.rules.data, U0), s), ctx.history[slots.HISTORY_LENGTH]
    if past == U0 or ctx.history[past] != key:
        past = U1
    return key, past


@inline
def recurs(ctx: Context, path: Word, ply: Word, past: Word, key: Word, since: Word) -> bool:
    """Whether a leaf's position occurs as often as makes a draw.

    The leaf is `ply` plies below the root, which is history[past]; the nodes above it hold the keys in between.
    """
    seen = 1
    for back in range(U2, since + U1, U2):  # the same side is to move every other ply
        if back <= ply:
            edge = ctx.stack[path + ply - back]
            earlier = ctx.memory[ctx.memory[edge + tree.LINK] + tree.KEY]
        else:
            earlier = ctx.history[past + ply - back]
        if earlier == key:
            seen += 1
            if seen >= ctx.draws[slots.DRAW_REPETITION]:
                return True
    return False


@inline
def gained_by(known: int) -> Word:
    """Utility, for the side that has just moved, of a result (WIN, LOSS, DRAW) for the side to move."""
    return tree.DRAWN * tree.UNIT if known == DRAW else U0 if known == WIN else tree.WHOLE


@inline
def ask_after_kept_moves(ctx: Context, s: Words, prior: Word, scores: bool, child: Words) -> None:
    """Consult gated oracles about the moves of a kept root `s` that earlier searches visited.

    Those searches did not, since the moves were deeper in their trees. Other moves are leaves, and their first
    simulation consults the oracles. scores: whether the evaluator scores leaves; if not, the gate excludes no score.
    child: workspace for a state.
    """
    memory, rules = ctx.memory, ctx.rules
    node = memory[tree.ROOT + tree.LINK]
    for i in range(tree.count(memory, node)):
        edge = node + tree.NODE + i * tree.EDGE
        if memory[edge + tree.VISITS] == prior or memory[edge + tree.LINK] & tree.KNOWN != U0:
            continue
        rules.play(at(rules.data, U0), s, memory[edge + tree.MOVE], child)
        known = oracles.ask_gated(ctx, child, static_score(ctx.evaluator, child) if scores else 0.0)
        if known != UNKNOWN:
            tree.settle(memory, edge, gained_by(known), False)
