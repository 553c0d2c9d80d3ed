"""With which window and to which depth each move is searched: the principal variation, reductions, pruning and ProbCut.

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

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import WON
from gameforge.kernel import U0, U1, UNKNOWN, Context, Limits, Score, Scores, Truth, Word, Words, inline, static_score
from gameforge_search_minimax import ordering
from gameforge_search_minimax.endings import NULL_WIDTH, Child, is_null
from gameforge_search_minimax.ordering import ALPHA, BELOW, BETA, BOUNDS, FLOOR, FRAME, LEFT, NEXT, WINDOW, Layout
from gameforge_search_minimax.settings import CUT_WORDS, CUTS, UNIT, Options
from gameforge_search_minimax.table import cached_score, is_shared

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
    if not ordering.is_quiet(stack, here + layout.merits) or stack[frame + WINDOW] in (FULL_AGAIN, UNREDUCED):
        return U0
    # The moves are well ordered: the later one comes, the less likely it is the best, and the more depth it loses.
    number = here - ordering.first_move(stack, layout, ply)
    if number < _UNREDUCED_MOVES:
        return U0
    plies = np.uint64(options.reductions * _SHAPE[(min(left, _SHAPE_LAST) << _SHAPE_SHIFT) + min(number, _SHAPE_LAST)])
    if options.penalties:
        history = ordering.history_of(stack, layout, ply, stack[here])
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
    if is_shared(options, left):
        return False
    late = here - ordering.first_move(stack, layout, ply) >= _MOVES_AT_0 + left * left
    return late and ordering.is_quiet(stack, here + layout.merits)


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
    score = cached_score(ctx, options, child)
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
