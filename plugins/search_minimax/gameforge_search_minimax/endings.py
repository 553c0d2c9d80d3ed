"""Positions whose result is known: their scores, draws by the history of the game, and progress in won endings.

`Child` is the position after the move that is being tried; `judge` asks the rules, the history and the oracles. Scores
count the plies from the root; their bands are those of gameforge.interfaces.evaluator. Draws that depend on the history
are repetition, lack of progress and the ply cap.

In a won ending an oracle may know the result without distances, and by it all moves that keep the win are equal. The
search then looks for the nearest conversion, a move that cannot be undone, after which the ending is still won. Every
game has only so many of them, so a player who always finds the next one wins. Positions after a conversion are scored
and not searched. Until one is found, the search continues beyond its depth, and positions at the horizon are worth the
same, so that almost all moves are refuted at once. The first, shallow iterations are guided by the evaluator; they
choose the move if no conversion is in reach.

A conversion that costs the winner something, such as a piece, or a step of the other side's man, is left for later.
Some endings have no other, so the selective search accepts it once the last conversion is LONG plies ago.
"""

from typing import NamedTuple

import numpy as np

from gameforge.interfaces import DRAW, LOSS, ORACLE_WIN, PLY, PROVEN_WIN, RUNNING, WIN, WON
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    Context,
    Score,
    Truth,
    Word,
    Words,
    at,
    inline,
    oracles,
    slots,
    static_score,
)
from gameforge_search_minimax.settings import Options

DRAWN = 2.0**-10
"""Factor of the evaluator's score in the score of a drawn position."""


@inline
def finished(result: int, ply: Word) -> Score:
    """Score, for the side to move, of a game that ended `ply` plies from the root; nearer wins are better."""
    if result == DRAW:
        return 0.0
    score = PROVEN_WIN - np.float64(ply) * PLY
    return score if result == WIN else -score


@inline
def oracle_score(result: int, answer: Words, ply: Word) -> Score:
    """Score of an oracle's WIN, LOSS or DRAW, `ply` plies from the root.

    With a distance to the end of the game, nearer wins are better. A distance to the next conversion does not say how
    far the end is, so all wins score WON, as without distances.
    """
    if result == DRAW:
        return 0.0
    score = WON
    if answer[slots.PROBE_DISTANCE] != U0 and answer[slots.PROBE_CONVERSION] == U0:
        score = ORACLE_WIN - np.float64(ply + answer[slots.PROBE_DISTANCE] - U1) * PLY
    return score if result == WIN else -score


@inline
def oracle_score_at_leaf(result: int, answer: Words, ply: Word, static: Score, progress: Truth) -> Score:
    """Score of an oracle's result at a leaf; with `progress`, one without a distance to the end is `guided`."""
    if progress and (answer[slots.PROBE_DISTANCE] == U0 or answer[slots.PROBE_CONVERSION] != U0):
        return guided(result, static)
    return oracle_score(result, answer, ply)


@inline
def score_by_gate(ctx: Context, state: Words, score: Score, progress: Truth) -> Score:
    """Score of a move of the root to `state`: `score`, which the search found, or what gated oracles say instead."""
    result = oracles.ask_gated(ctx, state, -score)
    return score if result == UNKNOWN else -oracle_score_at_leaf(result, ctx.oracle.out, U1, -score, progress)


@inline
def kept(result: int, ply: Word) -> int:
    """The result for the side to move `ply` plies from a root with this result, if neither side makes a mistake."""
    if result in (UNKNOWN, DRAW) or ply & U1 == U0:
        return result
    return LOSS if result == WIN else WIN


@inline
def guided(result: int, static: Score) -> Score:
    """Score of a result whose distance is unknown, guided by the evaluator's score `static`.

    Wins are between WON and ORACLE_WIN, losses between the negative values of these. Draws keep a small fraction of the
    evaluator's score, so that the side that is ahead keeps trying.
    """
    if result == DRAW:
        return DRAWN * static
    return WON + 0.25 * (1.0 + static) if result == WIN else -WON - 0.25 * (1.0 - static)


@inline
def from_here(score: Score, ply: Word) -> Score:
    """Turn a score whose plies count from the root into one that counts from the node `ply` plies below it."""
    if score > WON:
        return score + np.float64(ply) * PLY
    if score < -WON:
        return score - np.float64(ply) * PLY
    return score


@inline
def from_root(score: Score, ply: Word) -> Score:
    """Turn a score whose plies count from the node `ply` plies below the root into one that counts from the root."""
    if score > WON:
        return score - np.float64(ply) * PLY
    if score < -WON:
        return score + np.float64(ply) * PLY
    return score


@inline
def as_stored(score: Score) -> Score:
    """Round a score to float32, as the table stores it, so that storing it does not change it."""
    return np.float64(np.float32(score))


NULL_WIDTH = 2.0**-30
"""Width of a null window: no two float32 scores that matter are closer."""


class Child(NamedTuple):
    """The position after the move that is being tried."""

    state: Words
    """Its state."""
    move: Word
    """The move."""
    ply: Word
    """Plies from the root to it."""
    left: Word
    """Depth left for it; 0 at the horizon."""
    since: Word
    """Plies without an irreversible move."""
    key: Word
    """Key of the position, 0 if it is not needed."""
    alpha: Score
    """Lower bound of the window, for the side to move in the position."""
    beta: Score
    """Upper bound of the window, for the side to move in the position."""


@inline
def is_null(lower: Score, upper: Score) -> Truth:
    """Whether a window is a null window."""
    return upper - lower <= 2 * NULL_WIDTH


class Course(NamedTuple):
    """The history of the game before the root, as far as draws depend on it."""

    past: Word
    """Index of the root in ctx.history."""
    counts: Truth
    """Whether draws that depend on this history count in this search."""
    repetitions: Truth
    """Whether repeated positions count."""
    no_progress: Word
    """Plies without an irreversible move that make a draw."""
    plies_left: Word
    """Plies from the root to the ply cap."""


@inline
def course_of(ctx: Context, key: Word, counts: Truth) -> Course:
    """The history that led to the root with this key; empty if the root is not a position of the game."""
    past = ctx.history[slots.HISTORY_LENGTH]
    if past == U0 or ctx.history[past] != key:
        past = U1
    no_progress, plies_left = ~U0, ~U0
    if counts:
        plies_left = np.uint64(max(ctx.draws[slots.DRAW_MAX_PLIES] - ctx.counters[slots.PLIES], 1))
        if ctx.draws[slots.DRAW_NO_PROGRESS] > 0:
            no_progress = np.uint64(ctx.draws[slots.DRAW_NO_PROGRESS])
    repetitions = counts and (ctx.draws[slots.DRAW_REPETITION] > 0 or ctx.draws[slots.DRAW_SHUFFLE] > 0)
    return Course(past, counts, repetitions, no_progress, plies_left)


@inline
def plies_since(ctx: Context, course: Course, state: Words, move: Word, before: Word) -> Word:
    """Plies without an irreversible move after `move`; `before` counts those before it."""
    if course.counts and ctx.rules.irreversible(at(ctx.rules.data, U0), state, move) == U0:
        return before + U1
    return U0


@inline
def may_recur(course: Course, since: Word) -> Truth:
    """Whether `since` reversible plies can have led back to an earlier position."""
    return course.repetitions and since > U1


@inline
def is_drawn(course: Course, ply: Word, since: Word) -> Truth:
    """Whether a position `ply` plies from the root is drawn for lack of progress or at the ply cap."""
    return since >= course.no_progress or ply >= course.plies_left


@inline
def recurs(ctx: Context, course: Course, keys: Word, child: Child) -> bool:
    """Whether the child counts as a draw by repetition.

    It does if it occurred before in the searched line, because a side that can repeat a position once can do so again.
    It also does if, counting the positions of the game, it occurs as often as the rules require (if they count
    repetitions). `keys`: offset of the line's keys in ctx.stack.
    """
    if not course.repetitions:
        return False
    times = ctx.draws[slots.DRAW_REPETITION]
    seen = 1
    back = U2  # the same side is to move every other ply
    while back <= child.since:
        if back <= child.ply:
            if ctx.stack[keys + child.ply - back] == child.key:
                return True
        elif ctx.history[course.past + child.ply - back] == child.key:
            seen += 1
            if 0 < times <= seen:
                return True
        back += U2
    return False


GUIDED_DEPTH = np.uint64(7)
"""Depth of the deepest iteration that the evaluator guides."""
PATIENCE = np.uint64(1 << 20)
"""Nodes at which a search beyond its depth stops."""
_DEEPEST = np.uint64(60)
_SPARE = np.uint64(16)
"""Plies that remain for quiescence at the greatest depth."""
_CONVERTED, _HORIZON = WON + 0.5, WON + 0.25
"""Scores of a win after a conversion, and at the horizon."""
_COSTLY, _COSTLY_AT_LAST = WON + 0.125, WON + 0.375
"""Scores of a win after a conversion that costs the winner something, and when the last one was LONG plies ago."""
LONG = np.uint64(32)
"""Plies without a conversion after which the selective search accepts a cost."""
_WEIGHT = 0.12
"""Weight of the evaluator's score at the horizon; less than the distances between the scores above."""
_MOST_PLIES = 256
_COST = 2.0**-6
"""By how much less the evaluator likes a position after a conversion that costs something."""


@inline
def judge(ctx: Context, course: Course, child: Child, n: Word, root_result: int) -> tuple[bool, Score, int]:
    """Settle the child by the rules, the game's history or an oracle; returns (whether settled, score, its result).

    The result is an oracle's, UNKNOWN if there is none. A result without a distance that merely confirms that of the
    root (`root_result`) settles nothing: all moves that keep the result would score the same, and the game would go
    round in circles.
    """
    code = ctx.rules.outcome(at(ctx.rules.data, U0), child.state, n)
    if code != RUNNING:
        return True, finished(code & 3, child.ply), UNKNOWN
    if is_drawn(course, child.ply, child.since):
        return True, 0.0, UNKNOWN
    known = oracles.ask_oracles(ctx, child.state)
    if known == UNKNOWN and oracles.gated_after_root(ctx.oracle.gate, child.ply):
        known = oracles.ask_gated(ctx, child.state, static_score(ctx.evaluator, child.state))
    probed = ctx.oracle.out
    if known != UNKNOWN and not (probed[slots.PROBE_DISTANCE] == U0 and known == kept(root_result, child.ply)):
        return True, oracle_score(known, probed, child.ply), known
    return False, 0.0, known


@inline
def result_without_distance(ctx: Context, state: Words) -> int:
    """Result of the root by an oracle without distances; UNKNOWN if there is none, or if it has a distance."""
    known = oracles.ask_oracles(ctx, state)
    return known if ctx.oracle.out[slots.PROBE_DISTANCE] == U0 else UNKNOWN


class Ending(NamedTuple):
    """The facts of the root on which the scores of positions after it depend."""

    result: int
    """Its result by an oracle that knows no distance, else UNKNOWN."""
    won: Truth
    """Whether the search looks for conversions."""
    static: Score
    """The evaluator's score of the root."""
    costly: Score
    """Score of a conversion that costs the winner something."""


@inline
def ending_of(ctx: Context, options: Options, course: Course, root: Words, root_result: int) -> Ending:
    """Return the ending at the root; root_result: its result by an oracle without distances."""
    won = options.convert and course.counts and root_result == WIN
    # The exact search never accepts a cost: it stays as the papers' results were made.
    since = course.past - U1
    costly = _COSTLY_AT_LAST if options.selective and since >= LONG else _COSTLY
    return Ending(root_result, won, static_score(ctx.evaluator, root) if won else 0.0, costly)


@inline
def judge_conversion(ctx: Context, ending: Ending, child: Child, noisy: Word, known: int) -> tuple[bool, Score]:
    """Settle a position after a conversion that keeps the win; returns (whether settled, score).

    known: the child's result if it confirms the root's, else UNKNOWN. Before noisy moves nothing is settled, because
    the position may be in the middle of an exchange.
    """
    if not ending.won or known == UNKNOWN or child.since != U0 or noisy != U0:
        return False, 0.0
    static = static_score(ctx.evaluator, child.state)
    wins = known == WIN
    score = _CONVERTED if (static if wins else -static) > ending.static - _COST else ending.costly
    score -= np.float64(child.ply) * PLY
    return True, score if wins else -score


@inline
def score_at_horizon(ending: Ending, depth: Word, known: int, static: Score) -> Score:
    """Return the score of a position at the horizon of the iteration to `depth`, with its result and static score."""
    if not ending.won:
        return guided(known, static)
    score = _HORIZON if known == WIN else -_HORIZON
    return score + _WEIGHT * static if depth <= GUIDED_DEPTH else score


@inline
def is_settled(value: Score, depth: Word) -> Truth:
    """Whether a win or a loss is proven that no deeper search can bring nearer."""
    return abs(value) > ORACLE_WIN and PROVEN_WIN - abs(value) <= np.float64(depth) * PLY


@inline
def is_converted(ending: Ending, value: Score) -> Truth:
    """Whether the search has found a conversion, or a win with a known distance."""
    return ending.won and value > _CONVERTED - _MOST_PLIES * PLY


@inline
def reach(options: Options, ending: Ending) -> Word:
    """Return the depth at which the search ends: beyond its limit while it looks for a conversion."""
    if not ending.won:
        return options.depth
    return max(options.depth, min(options.last_ply - _SPARE, _DEEPEST))


@inline
def most_nodes(options: Options, depth: Word) -> Word:
    """Return the number of nodes at which an iteration to `depth` stops."""
    return options.nodes if depth <= options.depth else min(options.nodes, PATIENCE)
