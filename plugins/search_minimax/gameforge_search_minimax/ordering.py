"""The workspace of a search, the order in which the moves of a node are tried, and positions scored together.

ctx.stack and ctx.scores take the place of recursion. ctx.stack has these regions: the states, keys, frames, lines
(length first) and pairs of killers of all plies; the history; the moves of all plies; and their merits, by which they
are ordered: the table's move, noisy moves, killers, then the moves by their history.

A merit is shifted, and has in its low bits NO_MOVE minus the index that the rules gave the move, so that of moves with
equal merit the first is tried first. Killers are the two moves that last refuted another line at the same ply
[Akl1977]. The history sums, for each move and side, the squares of the depths at which the move refuted a line
[Schaeffer1989]. With penalties, a quiet move that was tried before the one that refuted the line loses as much as that
one gains, and entries have a limit: the closer they are to it, the less is added.

Positions are scored in batches if the evaluator can do that. `alphabeta` gathers the positions after a node's moves
when it enters a node whose moves lead to the horizon, and keeps their scores in the evaluation cache, where the search
finds them. That does not change the search: a score that is already there replaces the same score. A cutoff makes some
needless.
"""

from typing import NamedTuple

import numpy as np

from gameforge.interfaces import RUNNING
from gameforge.kernel import (
    U0,
    U1,
    U2,
    CompiledRules,
    Context,
    Truth,
    Whole,
    Word,
    Words,
    at,
    inline,
    position_key,
    static_scores,
)
from gameforge_search_minimax import table
from gameforge_search_minimax.settings import Options
from gameforge_search_minimax.table import NO_MOVE, SCATTER

NEXT, END, LEFT, BELOW, SINCE, BEST, IS_PV, WINDOW = (np.uint64(i) for i in range(8))
"""Words of a frame, the data of a node whose moves are being searched: the next move and the end of the moves, the
depth left for the node and for its children, the plies since the last irreversible move, the index of the best move so
far, whether the node is on the principal variation, and the window of the child that is searched (selection.py)."""
FRAME = np.uint64(8)
SCORE, ALPHA, BETA, FLOOR = (np.uint64(i) for i in range(4))
"""Scores of a node in ctx.scores: its best score so far, its window, and its initial alpha."""
BOUNDS = np.uint64(4)


class Layout(NamedTuple):
    """Offsets of the regions of ctx.stack."""

    words: Word
    """Words of a state; the states of all plies begin at 0."""
    keys: Word
    """A key for each ply."""
    frames: Word
    """A frame for each ply (NEXT to WINDOW)."""
    lines: Word
    """A line for each ply, its length first."""
    line_words: Word
    """Words of a line."""
    killers: Word
    """Two killers for each ply."""
    history: Word
    """An entry for each side and hash of a move."""
    moves: Word
    """The moves of the root, followed by those of the other plies, without gaps."""
    merits: Word
    """Distance from a move to its merit."""
    batch: Word
    """The states and then the keys of positions that the evaluator scores together (`score_horizon`)."""


def stack_words(plies: int, words: int, max_moves: int) -> int:
    """Number of words of ctx.stack for a search whose deepest ply is `plies`."""
    per_ply = words + 1 + int(FRAME) + (plies + 2) + 2
    return (plies + 1) * per_ply + HISTORY_WORDS + (2 * (plies + 1) + words + 1) * max_moves


@inline
def layout_of(last_ply: Word, words: Word, max_moves: Word) -> Layout:
    """The layout of a stack of the size `stack_words`."""
    plies = last_ply + U1
    line_words = plies + U1
    keys = plies * words
    frames = keys + plies
    lines = frames + plies * FRAME
    killers = lines + plies * line_words
    history = killers + plies * U2
    moves = history + np.uint64(HISTORY_WORDS)
    merits = plies * max_moves
    batch = moves + U2 * merits
    return Layout(words, keys, frames, lines, line_words, killers, history, moves, merits, batch)


@inline
def killers_at(layout: Layout, ply: Word) -> Word:
    """Offset of the two killers of a ply."""
    return layout.killers + ply * U2


@inline
def first_move(stack: Words, layout: Layout, ply: Word) -> Word:
    """Index of the first move of the node at `ply`."""
    return layout.moves if ply == U0 else stack[layout.frames + (ply - U1) * FRAME + END]


@inline
def update_line(stack: Words, layout: Layout, ply: Word, move: Word) -> None:
    """Set the line of the node at `ply` to a move followed by the line of its child."""
    line = layout.lines + ply * layout.line_words
    length = stack[line + layout.line_words] + U1
    stack[line], stack[line + U1] = length, move
    for i in range(U1, length):
        stack[line + U1 + i] = stack[line + layout.line_words + i]


@inline
def forget_line(stack: Words, layout: Layout, ply: Word) -> None:
    """Clear the line of the node at `ply`."""
    stack[layout.lines + ply * layout.line_words] = U0


HISTORY_BITS = 12
HISTORY_WORDS = 2 << HISTORY_BITS
_HISTORY_SHIFT = np.uint64(64 - HISTORY_BITS)
_SIDE_SHIFT = np.uint64(HISTORY_BITS)
_MERIT_SHIFT = np.uint64(12)
"""The bits of an index, up to NO_MOVE."""
_EVEN = np.uint64(1 << 40)
"""Merit of a move without history, so that the merits of moves with penalties are not negative."""
_GAIN, _MOST_GAIN, MOST_HISTORY = np.int64(8), np.int64(1 << 12), np.int64(1 << 14)
"""With penalties, a move gains _GAIN times the square of the depth, at most _MOST_GAIN."""
_KNOWN_BEST, _NOISY, _KILLER, _OLDER_KILLER = (np.uint64(1 << n) for n in (51, 50, 49, 48))


@inline
def _slot(move: Word, ply: Word) -> Word:
    """Index in the history of a move made at `ply`."""
    return ((ply & U1) << _SIDE_SHIFT) + ((move * SCATTER) >> _HISTORY_SHIFT)


@inline
def rate(stack: Words, layout: Layout, ply: Word, moves: Word, n: Word, noisy: Word, best: Word) -> None:
    """Write the merits of n moves, in the order of the rules; the first `noisy` ones are noisy, `best` is an index."""
    killers, merits = killers_at(layout, ply), moves + layout.merits
    first, second = stack[killers], stack[killers + U1]
    for i in range(n):
        move = stack[moves + i]
        if i == best:
            merit = _KNOWN_BEST
        elif i < noisy:
            merit = _NOISY
        elif move == first:
            merit = _KILLER
        elif move == second:
            merit = _OLDER_KILLER
        else:
            merit = stack[layout.history + _slot(move, ply)] + _EVEN
        # The 1 keeps the merit above that of a move that was put off.
        stack[merits + i] = ((merit + U1) << _MERIT_SHIFT) | (NO_MOVE - i)


@inline
def is_quiet(stack: Words, merit: Word) -> Truth:
    """Whether a move is neither noisy nor the table's move."""
    return stack[merit] < _NOISY << _MERIT_SHIFT


@inline
def index_at(stack: Words, merit: Word) -> Word:
    """The index that the rules gave to the move with this merit."""
    return NO_MOVE - (stack[merit] & NO_MOVE)


@inline
def put_off(stack: Words, merit: Word) -> None:
    """Put a move off until the end of its node, by removing its merit."""
    stack[merit] &= NO_MOVE


@inline
def is_put_off(stack: Words, merit: Word) -> Truth:
    """Whether a move was put off."""
    return stack[merit] <= NO_MOVE


@inline
def bring_forward(stack: Words, merits: Word, first: Word, end: Word) -> None:
    """Swap the move with the highest merit to stack[first]; the merit of stack[i] is stack[i + merits]."""
    best: Whole = first
    most = stack[first + merits]
    for i in range(first + U1, end):
        merit = stack[i + merits]
        if merit > most:
            best, most = i, merit
    if best != first:
        stack[first], stack[best] = stack[best], stack[first]
        stack[best + merits] = stack[first + merits]
        stack[first + merits] = most


@inline
def history_of(stack: Words, layout: Layout, ply: Word, move: Word) -> np.int64:
    """The history of a move made at `ply`, from -MOST_HISTORY to MOST_HISTORY with penalties."""
    return np.int64(stack[layout.history + _slot(move, ply)])


@inline
def _add(stack: Words, layout: Layout, ply: Word, move: Word, gain: np.int64) -> None:
    """Add to the history of a move; the less, the closer it is to its limit, so that it never gets there."""
    known = history_of(stack, layout, ply, move)
    stack[layout.history + _slot(move, ply)] = np.uint64(known + gain - known * abs(gain) // MOST_HISTORY)


@inline
def refuted(stack: Words, layout: Layout, ply: Word, here: Word, depth: Word) -> None:
    """Credit the move at `here`, which refuted the move before it: make it a killer and add to its history."""
    _remember(stack, stack[here], killers_at(layout, ply))
    stack[layout.history + _slot(stack[here], ply)] += depth * depth


@inline
def refuted_after(stack: Words, layout: Layout, ply: Word, here: Word, depth: Word) -> None:
    """Credit the move at `here` as `refuted` does; the quiet moves of its node, tried before in vain, lose."""
    _remember(stack, stack[here], killers_at(layout, ply))
    gain = min(_GAIN * np.int64(depth) * np.int64(depth), _MOST_GAIN)
    _add(stack, layout, ply, stack[here], gain)
    for i in range(first_move(stack, layout, ply), here):
        # Noisy moves are ordered by other means, and a move put off was not tried.
        if is_quiet(stack, i + layout.merits) and not is_put_off(stack, i + layout.merits):
            _add(stack, layout, ply, stack[i], -gain)


@inline
def _remember(stack: Words, move: Word, killers: Word) -> None:
    """Make the move a killer; the older one of the two gives way."""
    if stack[killers] != move:
        stack[killers + U1] = stack[killers]
        stack[killers] = move


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
