"""Kernels over spans of positions: draughts' part of retrograde analysis.

Positions come from the index, moves from the rules of gameforge_draughts. All have Black to move; a
successor has White to move and is looked up turned round.
"""

from typing import Any

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.board import BOARD, STATE_WORDS

from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.jit import inline, kernel
from gameforge_egdb_chinook.indexing import set_up, state_index

_0, _1, _2, _4 = (np.uint64(n) for n in (0, 1, 2, 4))
_BLACK, _WHITE = np.uint64(0), np.uint64(1)
_STATE_WORDS, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
WORKSPACE = 2 * STATE_WORDS + movegen.MAX_MOVES
"""Words of a kernel's workspace: a state, a successor, the moves."""

_gen, _play = inline(movegen.gen), inline(movegen.play)


@kernel
def _value(t: Any, space: Any, values: Any) -> Any:
    """Value of the state in space[0:3] from the values of its successors, UNKNOWN if they do not tell."""
    s, child, moves = at(space, _0), at(space, _STATE_WORDS), at(space, _MOVES)
    n = _gen(s, s, moves)
    lost = True
    unknown = False
    for i in range(n):
        _play(s, s, moves[i], child)
        if child[0] == _0:
            return WIN
        value = values[state_index(t, child[0], child[1], child[2] & BOARD, _WHITE)]
        if value == LOSS:
            return WIN
        unknown |= value == UNKNOWN
        lost &= value == WIN
    if lost:
        return LOSS
    return UNKNOWN if unknown else DRAW


@inline
def _step(squares: Any, direction: Any) -> Any:
    """One step up (directions 0, 1) or down (2, 3); direction ^ 2 steps back."""
    distance = _4 + (direction & _1)
    return squares << distance if direction < _2 else squares >> distance


@kernel
def _mark_predecessors(t: Any, space: Any, values: Any, later: Any, level_first: Any) -> Any:
    """Mark where White can have come from with a quiet move to the state in space[0:3]."""
    own, opp, kings = space[0], space[1], space[2]
    empty = BOARD & ~(own | opp)
    size = np.uint64(later.size)
    for d in range(4):
        direction = np.uint64(d)
        targets = _step(opp if direction < _2 else opp & kings, direction) & empty
        while targets:
            target = targets & (_0 - targets)
            targets ^= target
            origin = _step(target, direction ^ _2)
            change = origin | target
            kings_before = kings ^ change if kings & origin else kings
            index = state_index(t, opp ^ change, own, kings_before, _WHITE)
            if index - level_first < size and values[index] == UNKNOWN:
                later[index - level_first] = 1


@kernel
def sweep(tables: Any, number: Any, first: Any, end: Any, values: Any, marks: Any, later: Any, level_first: Any) -> Any:
    """Kernel of retrograde.Sweep; all numbers uint64."""
    t = at(tables, _0)
    space = np.empty(WORKSPACE, np.uint64)
    found = 0
    index = first
    while index < end:
        if marks[index - level_first]:
            marks[index - level_first] = 0
            if values[index] == UNKNOWN:
                set_up(t, number, index, at(space, _0))
                value = _value(t, space, values)
                if value != UNKNOWN:
                    values[index] = value
                    found += 1
                    if value != DRAW:
                        _mark_predecessors(t, space, values, later, level_first)
        index += _1
    return found


@kernel
def forget_captures(tables: Any, number: Any, first: Any, end: Any, values: Any) -> Any:
    """Set the value of each position in which either side could capture to UNKNOWN."""
    t = at(tables, _0)
    s = np.empty(STATE_WORDS, np.uint64)
    index = first
    while index < end:
        set_up(t, number, index, at(s, _0))
        own, opp, kings = s[0], s[1], s[2]
        if movegen.jumpers(own, opp, kings, _BLACK) | movegen.jumpers(opp, own, kings, _WHITE):
            values[index] = UNKNOWN
        index += _1


@kernel
def contradiction(tables: Any, number: Any, first: Any, end: Any, values: Any) -> Any:
    """First index of a span whose value does not follow from the values of its successors, or `end`."""
    t = at(tables, _0)
    space = np.empty(WORKSPACE, np.uint64)
    index = first
    while index < end:
        set_up(t, number, index, at(space, _0))
        if values[index] != _value(t, space, values):
            return index
        index += _1
    return end
