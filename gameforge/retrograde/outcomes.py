"""Kernels that compute the values of the positions of one unit: win, loss or draw.

The method is that of [Lake1994], with Thompson's counters. The first pass examines the moves of each position once and
counts those that stay in the unit. After that, values propagate backwards: the predecessors of a lost position are won,
and a won position decreases the count of each predecessor; a count of zero is a loss. A position that still has a count
at the end is a draw.
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
"""A state byte is a value, or COUNT plus the number of moves that are not known to lose."""
PENDING = 128
"""Added to a win or loss that has not been propagated to the predecessors."""
STACK = 1 << 16
"""Capacity of the stack of pending positions; those beyond wait for the next pass."""


@inline
def stored_value(store: Any, place: Any) -> Any:
    """Read the value at a place of a packed store."""
    return np.int64((store[place >> _2] >> ((place & _3) << _1)) & _3)


@inline
def successor_value(store: Any, successor: Any) -> Any:
    """Return the value of a successor outside the unit, in the form that `expand` writes."""
    return np.int64(successor) if successor < _STORED else stored_value(store, successor - _STORED)


@kernel
def begin(expand: Any, game: Any, unit: Any, store: Any, state: Any, first: Any, end: Any) -> Any:
    """Examine the moves of the positions first..end-1 once. state[i] is UNKNOWN on entry, or a known value."""
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
        state[i] = value + PENDING if value in (WIN, LOSS) else value


@kernel
def propagate(predecessors: Any, game: Any, unit: Any, state: Any, first: Any, end: Any, stack: Any) -> Any:
    """Propagate the pending values of the positions first..end-1 and all that follow from them.

    stack: STACK elements of workspace. Returns the number of positions for which the stack had no room.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    left_over = 0
    for start in range(first, end):
        if state[start] < PENDING:
            continue
        stack[0] = start
        n = 1
        while n > 0:
            n -= 1
            i = stack[n]
            state[i] -= PENDING
            lost = state[i] == LOSS
            for j in range(predecessors(at(game, _0), at(unit, _0), np.uint64(i), at(out, _0))):
                before = out[j]
                left = state[before]
                if left < COUNT or left >= PENDING:
                    continue
                if lost:
                    state[before] = WIN + PENDING
                elif left > COUNT + 1:
                    state[before] = left - 1
                    continue
                else:
                    state[before] = LOSS + PENDING
                if n < STACK:
                    stack[n] = before
                    n += 1
                else:
                    left_over += 1
    return left_over


@kernel
def finish(state: Any) -> Any:
    """Turn every position that still has a count into a draw."""
    for i in range(state.size):
        if state[i] >= COUNT:
            state[i] = DRAW


@kernel
def pack(values: Any, store: Any, place: Any) -> Any:
    """Write values to a packed store, four per byte, the first in the lowest bits; place is a multiple of 4."""
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
