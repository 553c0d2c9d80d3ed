"""The workspace of a search, the order in which the moves of a node are tried, and how deeply each is searched.

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

Principal variation search (T. A. Marsland and M. Campbell 1982; A. Reinefeld 1983) searches the first move of a node on
the principal variation with the full window. The others get a null window, which is too narrow for any score to lie
inside, to show that they are not better. If that fails, they are searched again with the full window.

The exact search (`selective=false`) uses nothing else. A selective search tries late moves with a null window and a
reduced depth first, and leaves some moves and positions unsearched. A proven win or loss remains a proof: the score of
a position that is not searched is heuristic, and a reduced search proves a result only by reaching the end of the game.

ProbCut: the scores of a position at two depths are almost linearly related, so a deep score can be predicted from a
shallow one, with an error [Buro1995]. If a position that is to be searched with a null window is predicted to fall
outside it by a few errors, it is not searched to the full depth. Shallow searches use cuts themselves [Buro1997].
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import RUNNING, WON
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    CompiledRules,
    Context,
    Limits,
    Score,
    Scores,
    Truth,
    Whole,
    Word,
    Words,
    at,
    inline,
    position_key,
    static_score,
    static_scores,
)
from gameforge_search_minimax import table
from gameforge_search_minimax.endings import NULL_WIDTH, Child, is_null
from gameforge_search_minimax.settings import CUT_WORDS, CUTS, UNIT, Options
from gameforge_search_minimax.table import NO_ENTRY, NO_MOVE, SCATTER

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


FULL, NULL, FULL_AGAIN, REDUCED, UNREDUCED, PROBED = (np.uint64(i) for i in range(6))
"""Windows of the child that is searched. FULL_AGAIN: after a null window, it needs the full one. REDUCED: a null window
and a reduced depth. UNREDUCED: after a reduced depth, it needs the full one. PROBED: a probe decided nothing."""
PROBE_ABOVE, PROBE_BELOW = np.uint64(8), np.uint64(16)
"""Added to a window while a shallow probe takes its place."""
ABOVE_ALL = 4.0
"""Above all scores; its negative is the score of a node none of whose moves is searched yet."""


@inline
def window_for_next(is_pv: Truth, best: Score, window: Word) -> Word:
    """Window of the next move, or of the move to be searched again; `best` is the best score of the moves before it."""
    if window == FULL_AGAIN:
        return FULL
    return NULL if is_pv and best > -ABOVE_ALL else FULL


@inline
def is_again(options: Options, window: Word) -> Truth:
    """Whether the node's next move is its previous move, which has to be searched again."""
    return window == FULL_AGAIN or (options.selective and window in (UNREDUCED, PROBED))


@inline
def bounds_of_child(alpha: Score, beta: Score, window: Word) -> tuple[Score, Score]:
    """(alpha, beta) of a child, for the side to move there."""
    if window in (NULL, REDUCED):
        return -alpha - NULL_WIDTH, -alpha
    return -beta, -alpha


@inline
def depth_of_child(options: Options, child: Child, best: Word) -> Word:
    """The depth left for a child: a ply less if the table does not know the child; `best` as `probe_table` has it.

    The search knows no good first move there, and the iteration before did not get there, so it matters less than
    others (internal iterative reduction, proposed by E. Schröder for Rebel). The next visit finds it in the table.
    """
    unknown = options.unknown_plies != U0 and best == NO_ENTRY and child.left >= options.unknown_plies
    return child.left - U1 if unknown else child.left


@inline
def search_again(stack: Words, frame: Word, here: Word, score: Score, alpha: Score, beta: Score) -> Truth:
    """Whether the move at `here`, searched with the null window, needs the full one; if so, make it the next move."""
    again = stack[frame + WINDOW] == NULL and alpha < score < beta
    if again:
        stack[frame + NEXT], stack[frame + WINDOW] = here, FULL_AGAIN
    return again


@inline
def search_deeper(stack: Words, frame: Word, here: Word, score: Score, alpha: Score) -> Truth:
    """Whether the move at `here` was reduced and needs the full depth; if so, it becomes the next move again."""
    again = stack[frame + WINDOW] == REDUCED and score > alpha
    if again:
        stack[frame + NEXT], stack[frame + WINDOW] = here, UNREDUCED
    return again


_SHAPE_SIZE = 64
_SHAPE_LAST, _SHAPE_SHIFT = np.uint64(_SHAPE_SIZE - 1), np.uint64(6)
_UNREDUCED_MOVES = np.uint64(2)
"""The first moves of a node keep their depth."""
LEAST_REDUCED = np.uint64(3)
"""Minimum depth of a node whose late moves are reduced."""
_BAD_HISTORY, _GOOD_HISTORY = np.int64(-1500), np.int64(3000)
"""Quiet moves whose history is below are reduced by a ply more, those whose history is above by a ply less."""
LATE_PLIES = np.uint64(3)
"""Maximum depth of a node whose late moves are left out."""
_MOVES_AT_0 = np.uint64(3)
"""A node of depth d has this number plus d squared moves before the late ones."""


def _reduction_shape() -> NDArray[np.float64]:
    """1 + ln(depth) ln(number of moves tried before); the index is 64 * depth + that number."""
    depth, tried = np.log(np.maximum(np.indices((_SHAPE_SIZE, _SHAPE_SIZE)), 1))
    return (1.0 + depth * tried).reshape(-1)


_SHAPE = _reduction_shape()


@inline
def reduction(options: Options, stack: Words, layout: Layout, ply: Word, here: Word, is_pv: Truth, best: Score) -> Word:
    """Number of plies by which to reduce the move at `here` of the node at `ply`, whose best score is `best`.

    Only quiet moves are reduced, unless they are searched again, and only if a move that does not lose has been found.
    The child keeps a depth of 1 or more.
    """
    frame = layout.frames + ply * FRAME
    left, below = stack[frame + LEFT], stack[frame + BELOW]
    # While all moves lose, one of the late ones may be the way out.
    if options.reductions == 0.0 or left < LEAST_REDUCED or best <= -WON:
        return U0
    if not is_quiet(stack, here + layout.merits) or stack[frame + WINDOW] in (FULL_AGAIN, UNREDUCED):
        return U0
    # The moves are well ordered: the later one comes, the less likely it is the best, and the more depth it loses.
    number = here - first_move(stack, layout, ply)
    if number < _UNREDUCED_MOVES:
        return U0
    plies = np.uint64(options.reductions * _SHAPE[(min(left, _SHAPE_LAST) << _SHAPE_SHIFT) + min(number, _SHAPE_LAST)])
    if options.penalties:
        history = history_of(stack, layout, ply, stack[here])
        if history < _BAD_HISTORY:
            plies += U1
        elif history > _GOOD_HISTORY and plies > U0:
            plies -= U1
    if is_pv and plies > U0:  # an oversight costs most here
        plies -= U1
    return min(plies, below - U1)


@inline
def leaves_rest(
    options: Options, stack: Words, layout: Layout, ply: Word, here: Word, is_pv: Truth, best: Score
) -> Truth:
    """Whether the move at `here` and those after it are left out: late quiet moves of a node close to the horizon.

    No move is left out on the principal variation, or before a move has been found that does not lose.
    """
    left = stack[layout.frames + ply * FRAME + LEFT]
    if not options.selective or not options.late_pruning or is_pv or left == U0 or left > LATE_PLIES or best <= -WON:
        return False
    # A move that was put off, because another thread searches it, looks quiet, but it has to be searched.
    if table.is_shared(options, left):
        return False
    late = here - first_move(stack, layout, ply) >= _MOVES_AT_0 + left * left
    return late and is_quiet(stack, here + layout.merits)


@inline
def is_futile(ctx: Context, options: Options, child: Child, noisy: Word, known: int) -> tuple[Truth, Score]:
    """(whether the child can be left unsearched, its score).

    That is so for quiet positions near the horizon whose static score is outside the null window by a margin.
    """
    if options.futility == 0.0 or child.left > options.futility_plies or noisy != U0 or known != UNKNOWN:
        return False, 0.0
    # On the principal variation the exact score matters. A window beyond WON asks for a proof, which no margin gives.
    if not is_null(child.alpha, child.beta) or abs(child.alpha) >= WON:
        return False, 0.0
    margin = options.futility * np.float64(child.left)
    score = table.cached_score(ctx, options, child)
    if score - margin >= child.beta:
        return True, score - margin
    return score + margin <= child.alpha, score + margin


_PROBES = PROBE_ABOVE | PROBE_BELOW


@inline
def shallow_probe(ctx: Context, limits: Limits, child: Child, known: int) -> tuple[Word, Child]:
    """(PROBE_ABOVE, PROBE_BELOW or 0; the child with the depth and the null window of the probe).

    There is a probe only if the static score is already on the far side of the probe's window, because most others
    decide nothing. There is none on the principal variation, if an oracle knows the result, or if only a proven result
    is outside the window.
    """
    if known != UNKNOWN or not is_null(child.alpha, child.beta):
        return U0, child
    place = CUTS + CUT_WORDS * np.int64(child.left)
    if limits[place] == 0:
        return U0, child
    # Where would the shallow score have to lie for the deep one to be outside the window by the margin?
    slope, offset, margin = limits[place + 1] * UNIT, limits[place + 2] * UNIT, limits[place + 3] * UNIT
    above, below = (child.beta + margin - offset) / slope, (child.alpha - margin - offset) / slope
    score = static_score(ctx.evaluator, child.state)
    probe, alpha, beta = U0, 0.0, 0.0
    if score >= above and abs(above) < 1.0:
        probe, alpha, beta = PROBE_ABOVE, above - NULL_WIDTH, above
    elif score <= below and abs(below) < 1.0:
        probe, alpha, beta = PROBE_BELOW, below, below + NULL_WIDTH
    if probe == U0:
        return U0, child
    left = np.uint64(limits[place])
    return probe, Child(child.state, child.move, child.ply, left, child.since, child.key, alpha, beta)


@inline
def end_probe(stack: Words, scores: Scores, frame: Word, bounds: Word, here: Word, score: Score) -> tuple[Truth, Score]:
    """(whether the move at `here` has to be searched fully, its score); does nothing if there was no probe.

    `score` is that of the search which has just ended. A probe that found what it looked for shows a bound of the
    window that it took the place of.
    """
    window = stack[frame + WINDOW]
    probe = window & _PROBES
    if probe == U0:
        return False, score
    child = bounds + BOUNDS
    found = -score >= scores[child + BETA] if probe == PROBE_ABOVE else -score <= scores[child + FLOOR]
    if not found:  # search it fully; PROBED keeps it from being probed again
        stack[frame + NEXT], stack[frame + WINDOW] = here, PROBED
        return True, score
    stack[frame + WINDOW] = window - probe
    alpha, beta = bounds_of_child(scores[bounds + ALPHA], scores[bounds + BETA], window - probe)
    return False, -beta if probe == PROBE_ABOVE else -alpha
