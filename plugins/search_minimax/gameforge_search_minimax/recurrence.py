"""Recognise draws that depend on the history of the game: repetition, lack of progress, the ply cap."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import (
    DRAW_MAX_PLIES,
    DRAW_NO_PROGRESS,
    DRAW_REPETITION,
    DRAW_SHUFFLE,
    HISTORY_LENGTH,
    PLIES,
)

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)


class Course(NamedTuple):
    """The history of the game before the root, as far as draws depend on it."""

    past: Any
    """Index of the root in ctx.history."""
    counts: Any
    """Whether draws that depend on this history count in this search."""
    repetitions: Any
    """Whether repeated positions count."""
    no_progress: Any
    """Plies without an irreversible move that make a draw."""
    plies_left: Any
    """Plies from the root to the ply cap."""


@inline
def course_of(ctx: Any, key: Any, counts: Any) -> Any:
    """The history that led to the root with this key; empty if the root is not a position of the game."""
    past = ctx.history[HISTORY_LENGTH]
    if past == _0 or ctx.history[past] != key:
        past = _1
    no_progress, plies_left = ~_0, ~_0
    if counts:
        plies_left = np.uint64(max(ctx.draws[DRAW_MAX_PLIES] - ctx.counters[PLIES], 1))
        if ctx.draws[DRAW_NO_PROGRESS] > 0:
            no_progress = np.uint64(ctx.draws[DRAW_NO_PROGRESS])
    repetitions = counts and (ctx.draws[DRAW_REPETITION] > 0 or ctx.draws[DRAW_SHUFFLE] > 0)
    return Course(past, counts, repetitions, no_progress, plies_left)


@inline
def plies_since(ctx: Any, course: Any, state: Any, move: Any, before: Any) -> Any:
    """Plies without an irreversible move after `move`; `before` counts those before it."""
    if course.counts and ctx.rules.irreversible(at(ctx.rules.data, _0), state, move) == _0:
        return before + _1
    return _0


@inline
def may_recur(course: Any, since: Any) -> Any:
    """Whether `since` reversible plies can have led back to an earlier position."""
    return course.repetitions and since > _1


@inline
def is_drawn(course: Any, ply: Any, since: Any) -> Any:
    """Whether a position `ply` plies from the root is drawn for lack of progress or at the ply cap."""
    return since >= course.no_progress or ply >= course.plies_left


@inline
def recurs(ctx: Any, course: Any, keys: Any, key: Any, ply: Any, since: Any) -> Any:
    """Whether the position with this key, `ply` plies from the root, counts as a draw by repetition.

    It does if it occurred before in the searched line, because a side that can repeat a position once can do so again.
    It also does if, counting the positions of the game, it occurs as often as the rules require (if they count
    repetitions). `keys`: offset of the line's keys in ctx.stack. `since`: plies without an irreversible move.
    """
    times = ctx.draws[DRAW_REPETITION]
    seen = 1
    back = _2  # the same side is to move every other ply
    while back <= since:
        if back <= ply:
            if ctx.stack[keys + ply - back] == key:
                return True
        elif ctx.history[course.past + ply - back] == key:
            seen += 1
            if 0 < times <= seen:
                return True
        back += _2
    return False
