"""The moves of a whole line as text, made fast, since a training writes thousands of games per second.

Another legal move can share the two squares of a move only if the move captures several pieces. Legal moves are
therefore generated only for such moves, in one kernel call for the whole line.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gameforge.interfaces.rules import State
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import Integers, Words
from gameforge_draughts.board import STATE_WORDS
from gameforge_draughts.movegen import CAPTURED_MASK, CAPTURED_SHIFT, MAX_MOVES, gen, play
from gameforge_draughts.notation import short_text, whole_text

_gen, _play = inline(gen), inline(play)
_short_text = functools.cache(short_text)
_0, _1 = np.uint64(0), np.uint64(1)
_ENDS = (_1 << CAPTURED_SHIFT) - _1


def line_texts(start: State, moves: Sequence[int]) -> list[str]:
    """Return `notation.move_text` of each of these legal moves, played from `start`."""
    texts = list(map(_short_text, moves))
    shared = np.empty(len(moves), np.int64)
    n = _sharing(*_room(start), np.array(moves, np.uint64), shared)
    for i in shared[:n].tolist():
        texts[i] = whole_text(moves[i])
    return texts


def line_end(start: State, moves: Sequence[int]) -> State:
    """Return the state after these legal moves."""
    state, child, _ = _room(start)
    _play_all(state, child, np.array(moves, np.uint64))
    return tuple(state.tolist())


def _room(start: State) -> tuple[Words, Words, Words]:
    """Return the state and the workspace of the kernels, which allocate nothing."""
    return np.array(start, np.uint64), np.empty(STATE_WORDS, np.uint64), np.empty(MAX_MOVES, np.uint64)


@kernel
def _sharing(state: Words, child: Words, legal: Words, moves: Words, shared: Integers) -> int:
    """Write the indices of the moves that share both squares with another legal move; return their number."""
    n = 0
    for i in range(len(moves)):
        m = moves[i]
        captured = (m >> CAPTURED_SHIFT) & CAPTURED_MASK
        if captured & (captured - _1) != _0:
            alike = 0
            for j in range(_gen(legal, state, legal)):  # gen reads no settings, so any block will do
                alike += legal[j] & _ENDS == m & _ENDS
            if alike > 1:
                shared[n] = i
                n += 1
        _advance(state, m, child)
    return n


@kernel
def _play_all(state: Words, child: Words, moves: Words) -> None:
    for i in range(len(moves)):
        _advance(state, moves[i], child)


@inline
def _advance(state: Words, m: Any, child: Words) -> None:
    _play(state, state, m, child)
    for i in range(STATE_WORDS):
        state[i] = child[i]
