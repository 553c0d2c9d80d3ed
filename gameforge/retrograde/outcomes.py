"""Kernels that value the positions of one unit: win, loss or draw.

Lake, Schaeffer and Lu (1994), with Thompson's counters: the first pass looks at the moves of each
position once, and counts those that stay in the unit. From then on only values travel, backwards: a lost
position makes its predecessors wins, a won one takes one from each predecessor's count, and a count
that reaches nothing is a loss. What keeps a count to the end is a draw.
"""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.retrograde.indexer import EXTERNAL_BITS, MAX_MOVES, STORED

_0, _1, _2, _3 = (np.uint64(n) for n in range(4))
_STORED = np.uint64(STORED)
_EXTERNAL = np.int64((1 << EXTERNAL_BITS) - 1)
COUNT = 4
"""A state byte is a value, or COUNT plus the number of moves that do not lose yet."""
NEWS = 128
"""Added to a win or loss that the predecessors have not heard of."""
STACK = 1 << 16
"""News that are told at once; more of them wait for the next pass."""


@inline
def stored_value(store: Any, place: Any) -> Any:
    """Value at a place of a packed store."""
    return np.int64((store[place >> _2] >> ((place & _3) << _1)) & _3)


@inline
def successor_value(store: Any, successor: Any) -> Any:
    """Value of a successor outside the unit, as `expand` writes it."""
    return np.int64(successor) if successor < _STORED else stored_value(store, successor - _STORED)


@kernel
def begin(expand: Any, game: Any, unit: Any, store: Any, state: Any, first: Any, end: Any) -> Any:
    """Look at the moves of the positions first..end-1. state[i] is UNKNOWN on entry, or a value that is known."""
    out = np.empty(MAX_MOVES, np.uint64)
    for i in range(first, end):
        value: Any = np.int64(state[i])
        if value == UNKNOWN:
            moves = expand(at(game, _0), at(unit, _0), np.uint64(i), at(out, _0))
            external, internal = moves & _EXTERNAL, moves >> EXTERNAL_BITS
            drawn = 0
            for j in range(external):
                found = successor_value(store, out[j])
                if found == LOSS:
                    value = WIN
                    break
                if found != WIN:
                    drawn = 1
            if value != WIN:
                value = LOSS if internal + drawn == 0 else DRAW if internal == 0 else COUNT + internal + drawn
        state[i] = value + NEWS if value in (WIN, LOSS) else value


@kernel
def propagate(predecessors: Any, game: Any, unit: Any, state: Any, first: Any, end: Any, stack: Any) -> Any:
    """Tell the news of the positions first..end-1, and what follows from them; returns how many were left to tell.

    stack: STACK elements of workspace.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    left_over = 0
    for start in range(first, end):
        if state[start] < NEWS:
            continue
        stack[0] = start
        n = 1
        while n > 0:
            n -= 1
            i = stack[n]
            state[i] -= NEWS
            lost = state[i] == LOSS
            for j in range(predecessors(at(game, _0), at(unit, _0), np.uint64(i), at(out, _0))):
                before = out[j]
                left = state[before]
                if left < COUNT or left >= NEWS:
                    continue
                if lost:
                    state[before] = WIN + NEWS
                elif left > COUNT + 1:
                    state[before] = left - 1
                    continue
                else:
                    state[before] = LOSS + NEWS
                if n < STACK:
                    stack[n] = before
                    n += 1
                else:
                    left_over += 1
    return left_over


@kernel
def finish(state: Any) -> Any:
    """What still has a count is a draw."""
    for i in range(state.size):
        if state[i] >= COUNT:
            state[i] = DRAW


@kernel
def pack(values: Any, store: Any, place: Any) -> Any:
    """Write values to a packed store, four a byte, the first in the lowest bits; place is a multiple of 4."""
    for i in range(0, values.size, 4):
        byte: Any = 0
        for j in range(min(4, values.size - i)):
            byte |= np.int64(values[i + j]) << (2 * j)
        store[(place + i) >> 2] = byte


@kernel
def unpack(store: Any, place: Any, values: Any) -> Any:
    """Read values.size values from a packed store."""
    for i in range(values.size):
        values[i] = stored_value(store, np.uint64(place + i))
