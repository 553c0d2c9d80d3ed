"""Kernels that compute distances in plies: to the end of the game (DTW), or to the next irreversible move (MTC).

A distance byte is 0 while the distance is unknown, 1 + plies once it is known, and DRAWN for a draw. Positions are
settled in the order of their distance. So the distance of a won position is known as soon as one of its moves leads to
a settled loss (the shortest win), and that of a lost position when its last move is settled (the longest loss).
"""

from typing import Any

import numpy as np

from gameforge.kernel.abi import LOSS, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.retrograde.distance_bytes import value_of
from gameforge.retrograde.indexer import EXTERNAL_BITS, MAX_MOVES, STORED
from gameforge.retrograde.outcomes import successor_value

_0 = np.uint64(0)
_STORED = np.uint64(STORED)
_EXTERNAL = np.int64((1 << EXTERNAL_BITS) - 1)
MOST = 253
"""Maximum distance in plies that fits in a byte."""
DRAWN = 255
"""The distance of a draw."""
WINS = 255
"""Count of a position that wins by a move out of the unit; it is never decreased."""


@inline
def _plies_outside(distances: Any, successor: Any) -> Any:
    """Return the plies from a successor outside the unit to the end of the game, -1 if it is a draw."""
    if successor < _STORED:
        return 0 if successor == LOSS else -1
    return np.int64(distances[successor - _STORED]) - 1


@kernel
def begin_dtw(
    expand: Any, game: Any, unit: Any, distances: Any, near: Any, count: Any, due: Any, first: Any, end: Any
) -> Any:
    """Examine the moves of the positions first..end-1 once.

    distances: distance bytes of earlier units, 0 for draws. near: distance bytes of this unit, zero on entry.
    count: number of moves that are not known to lose, or WINS. due: distance that the moves out of the unit give
    the position, which it gets if its count allows. Returns the largest due distance.
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
    """Examine the moves of the positions first..end-1 once, as begin_dtw, for distances to the next irreversible move.

    Irreversible moves leave the unit. store: packed values of all positions. values: values of this unit.
    """
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
    """Settle the positions with distance `ply`, update their predecessors, and return the number settled.

    A predecessor of a lost position is won; for a predecessor of a won position, one more move is known to lose.
    values: values of the unit for MTC, where the parity of a distance does not give the value; empty for DTW.
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
    """Convert distance bytes to the end of the game (0: draw) to values."""
    for i in range(distances.size):
        values[i] = value_of(distances[i])
    return values
