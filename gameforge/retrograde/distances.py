"""Kernels that count plies: to the end of the game (dtw), or to the next move that cannot be taken back (mtc).

A distance byte is 0 while the distance is unknown, 1 + plies when it is known, DRAWN if there is none. Plies are
settled one after the other, so the first value that reaches a position by its moves is its distance: a
winner's shortest, and a loser's longest, whose last unsettled move counts.
"""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, LOSS, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.retrograde.indexer import EXTERNAL_BITS, MAX_MOVES, STORED
from gameforge.retrograde.outcomes import successor_value

_0 = np.uint64(0)
_STORED = np.uint64(STORED)
_EXTERNAL = np.int64((1 << EXTERNAL_BITS) - 1)
MOST = 253
"""Plies that fit in a byte."""
DRAWN = 255
WINS = 255
"""A count that never reaches nothing: a move out of the unit wins."""


@inline
def _plies_outside(distances: Any, successor: Any) -> Any:
    """Plies to the end of a successor outside the unit, -1 if it is a draw."""
    if successor < _STORED:
        return 0 if successor == LOSS else -1
    return np.int64(distances[successor - _STORED]) - 1


@kernel
def begin_dtw(
    expand: Any, game: Any, unit: Any, distances: Any, near: Any, count: Any, due: Any, first: Any, end: Any
) -> Any:
    """Look at the moves of the positions first..end-1; `distances` are those of earlier units, draws 0.

    near: the distance bytes of the unit, zeros on entry. count: moves that do not lose yet, or WINS.
    due: the ply at which a move out of the unit settles the position, if its count allows.
    Returns the last of these plies.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    last: Any = 0
    for i in range(first, end):
        moves = expand(at(game, _0), at(unit, _0), np.uint64(i), at(out, _0))
        external, internal = moves & _EXTERNAL, moves >> EXTERNAL_BITS
        drawn = 0
        shortest: Any = MOST
        longest: Any = 0
        for j in range(external):
            plies = _plies_outside(distances, out[j])
            if plies < 0:
                drawn = 1
            elif plies & 1 == 0:
                shortest = min(shortest, plies + 1)
            else:
                longest = max(longest, plies + 1)
        wins = shortest < MOST
        due[i] = shortest if wins else longest
        count[i] = WINS if wins else internal + drawn
        if internal == 0:
            near[i] = DRAWN if drawn and not wins else due[i] + 1
        last = max(last, np.int64(due[i]))
    return last


@kernel
def begin_mtc(
    expand: Any, game: Any, unit: Any, store: Any, values: Any, near: Any, count: Any, due: Any, first: Any, end: Any
) -> Any:
    """The same for moves that cannot be taken back, all of which leave the unit; `values` are the unit's."""
    out = np.empty(MAX_MOVES, np.uint64)
    last: Any = 0
    for i in range(first, end):
        if values[i] != WIN and values[i] != LOSS:
            near[i] = DRAWN
            continue
        moves = expand(at(game, _0), at(unit, _0), np.uint64(i), at(out, _0))
        external, internal = moves & _EXTERNAL, moves >> EXTERNAL_BITS
        converts = external > 0
        if values[i] == WIN:
            converts = False
            for j in range(external):
                converts |= successor_value(store, out[j]) == LOSS
        due[i] = 1 if converts else 0
        count[i] = internal if values[i] == LOSS else WINS
        if internal == 0 or (converts and values[i] == WIN):
            near[i] = due[i] + 1
        elif values[i] == WIN:
            due[i] = MOST
        last = max(last, np.int64(due[i]) if due[i] < MOST else 0)
    return last


@kernel
def settle(predecessors: Any, game: Any, unit: Any, near: Any, count: Any, due: Any, values: Any, ply: Any) -> Any:
    """Settle the positions that are `ply` plies away, and tell their predecessors; returns how many there are.

    A lost position's predecessor wins, a won one's has one move less to hope for. values: empty, or the
    unit's (metric mtc), of which the parity of a distance says nothing.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    settled = 0
    for i in range(near.size):
        if near[i] == 0:
            if due[i] != ply or (count[i] != 0 and count[i] != WINS):
                continue
            near[i] = ply + 1
        elif near[i] != ply + 1:
            continue
        settled += 1
        lost = values[i] == LOSS if values.size else ply & 1 == 0
        for j in range(predecessors(at(game, _0), at(unit, _0), np.uint64(i), at(out, _0))):
            before = out[j]
            if near[before] != 0:
                continue
            if lost:
                near[before] = ply + 2
            elif count[before] != WINS:
                count[before] -= 1
                if count[before] == 0 and due[before] <= ply + 1:
                    near[before] = ply + 2
    return settled


@kernel
def values_of(distances: Any, values: Any) -> Any:
    """Values that distances to the end (0: draw) stand for."""
    for i in range(distances.size):
        values[i] = DRAW if distances[i] == 0 else LOSS if distances[i] & 1 else WIN
    return values
