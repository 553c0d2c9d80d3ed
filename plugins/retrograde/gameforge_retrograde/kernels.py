"""Kernels that compute the values of the positions of one unit (win, loss or draw), or their distances in plies.

Values: the method is that of [Lake1994], with Thompson's counters. The first pass examines the moves of each position
once and counts those that stay in the unit. After that, values propagate backwards: the predecessors of a lost position
are won, and a won position decreases the count of each predecessor; a count of zero is a loss. A position that still
has a count at the end is a draw.

Distance bytes: 1 + plies to the end of the game (DTW) or to the next irreversible move (MTC), or 0 for a draw. To the
end of the game, the side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.

Distances: while they are computed, a byte is 0 if the distance is unknown, 1 + plies once it is known, and DRAWN for a
draw. Positions are settled in the order of their distance. So the distance of a won position is known as soon as one of
its moves leads to a settled loss (the shortest win), and that of a lost position when its last move is settled (the
longest loss).
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import U0, U1, U2, U3, UNKNOWN, Truth, Whole, Word, WordArray, at, inline, kernel
from gameforge_retrograde.indexer import EXTERNAL_BITS, MAX_MOVES, STORED, ByteArray, Expand, Predecessors

StackArray: TypeAlias = NDArray[np.uint32]
"""The numbers of pending positions."""

_STORED = np.uint64(STORED)
_EXTERNAL = np.int64((1 << EXTERNAL_BITS) - 1)
COUNT = 4
"""A state byte is a value, or COUNT plus the number of moves that are not known to lose."""
PENDING = 128
"""Added to a win or loss that has not been propagated to the predecessors."""
STACK = 1 << 16
"""Capacity of the stack of pending positions; those beyond wait for the next pass."""


@inline
def stored_value(store: ByteArray, place: Word) -> np.int64:
    """Read the value at a place of a packed store."""
    return np.int64((store[place >> U2] >> ((place & U3) << U1)) & U3)


@inline
def successor_value(store: ByteArray, successor: Word) -> np.int64:
    """Return the value of a successor outside the unit, in the form that `expand` writes."""
    return np.int64(successor) if successor < _STORED else stored_value(store, successor - _STORED)


@kernel
def begin_values(
    expand: Expand, game: WordArray, unit: WordArray, store: ByteArray, state: ByteArray, first: int, end: int
) -> None:
    """Examine the moves of the positions first..end-1 once. state[i] is UNKNOWN on entry, or a known value."""
    out = np.empty(MAX_MOVES, np.uint64)
    for i in range(first, end):
        value: Whole = np.int64(state[i])
        if value == UNKNOWN:
            moves = expand(at(game, U0), at(unit, U0), np.uint64(i), at(out, U0))
            # Moves out of the unit have values already; those inside it are only counted.
            external, internal = moves & _EXTERNAL, moves >> EXTERNAL_BITS
            drawn = 0
            for j in range(external):
                found = successor_value(store, out[j])
                # One move that wins is enough.
                if found == LOSS:
                    value = WIN
                    break
                # Moves that may not lose count as one, which is never taken away: the position cannot be lost.
                if found != WIN:
                    drawn = 1
            if value != WIN:
                # Without a move inside the unit, nothing that follows can change the value.
                value = LOSS if internal + drawn == 0 else DRAW if internal == 0 else COUNT + internal + drawn
        # Draws are not propagated: they decide nothing for predecessors.
        state[i] = value + PENDING if value in (WIN, LOSS) else value


@kernel
def propagate_values(
    predecessors: Predecessors,
    game: WordArray,
    unit: WordArray,
    state: ByteArray,
    first: int,
    end: int,
    stack: StackArray,
) -> int:
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
            for j in range(predecessors(at(game, U0), at(unit, U0), np.uint64(i), at(out, U0))):
                before = out[j]
                left = state[before]
                # The value is known, whether or not it has been propagated.
                if left < COUNT or left >= PENDING:
                    continue
                if lost:
                    state[before] = WIN + PENDING
                # One more move is known to lose. After the last one, the position is lost.
                elif left > COUNT + 1:
                    state[before] = left - 1
                    continue
                else:
                    state[before] = LOSS + PENDING
                # A position for which there is no room stays marked as pending, so the next pass finds it.
                if n < STACK:
                    stack[n] = before
                    n += 1
                else:
                    left_over += 1
    return left_over


@kernel
def pack(values: ByteArray, store: ByteArray, place: int) -> None:
    """Write values to a packed store, four per byte, the first in the lowest bits; place is a multiple of 4."""
    for i in range(0, values.size, 4):
        byte: Whole = 0
        for j in range(min(4, values.size - i)):
            byte |= np.int64(values[i + j]) << (2 * j)
        store[(place + i) >> 2] = byte


@kernel
def unpack(store: ByteArray, place: int, values: ByteArray) -> None:
    """Read values.size values from a packed store."""
    for i in range(values.size):
        values[i] = stored_value(store, np.uint64(place + i))


LOST = 1
"""The byte of a side to move that has lost, for example because it has no moves."""


@inline
def value_of(byte: Whole) -> np.int64:
    """Return the value for the side to move."""
    if byte == 0:
        return np.int64(DRAW)
    return np.int64(LOSS) if byte & 1 else np.int64(WIN)


@inline
def better(best: np.int64, successor: np.int64) -> np.int64:
    """Return the byte of the better of two choices: `best` so far, LOST before the first move, or a move.

    successor: byte of the position after the move. The shortest win and the longest loss are best.
    """
    if successor == 0:
        return np.int64(0) if best & 1 else best
    byte = successor + 1
    if byte & 1:
        return max(best, byte) if best & 1 else best
    return byte if best == 0 or best & 1 else min(best, byte)


def tally(distances: ByteArray) -> tuple[int, int, int, int, int]:
    """Count positions by value; return (wins, losses, draws, plies of the longest win, the first position with it).

    Without wins, the last two are 0.
    """
    won = np.where(distances & 1 == 0, distances, 0)
    wins, draws = int(np.count_nonzero(won)), int(np.count_nonzero(distances == 0))
    longest = int(won.argmax())
    return wins, len(distances) - wins - draws, draws, int(won[longest]) - 1 if wins else 0, longest


MOST = 253
"""Maximum distance in plies that fits in a byte."""
DRAWN = 255
"""The distance of a draw."""
WINS = 255
"""Count of a position that wins by a move out of the unit; it is never decreased."""


@inline
def _plies_outside(distances: ByteArray, successor: Word) -> Whole:
    """Return the plies from a successor outside the unit to the end of the game, -1 if it is a draw."""
    if successor < _STORED:
        return 0 if successor == LOSS else -1
    return np.int64(distances[successor - _STORED]) - 1


@kernel
def begin_dtw(
    expand: Expand,
    game: WordArray,
    unit: WordArray,
    distances: ByteArray,
    near: ByteArray,
    count: ByteArray,
    due: ByteArray,
    first: int,
    end: int,
) -> Whole:
    """Examine the moves of the positions first..end-1 once.

    distances: distance bytes of earlier units, 0 for draws. near: distance bytes of this unit, zero on entry.
    count: number of moves that are not known to lose, or WINS. due: distance that the moves out of the unit give
    the position, which it gets if its count allows. Returns the largest due distance.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    last: Whole = 0
    for i in range(first, end):
        moves = expand(at(game, U0), at(unit, U0), np.uint64(i), at(out, U0))
        external, internal = moves & _EXTERNAL, moves >> EXTERNAL_BITS
        drawn = 0
        shortest: Whole = MOST
        longest: Whole = 0
        for j in range(external):
            plies = _plies_outside(distances, out[j])
            if plies < 0:
                drawn = 1
            # A successor with an even distance is lost, so the move wins.
            elif plies & 1 == 0:
                shortest = min(shortest, plies + 1)
            else:
                longest = max(longest, plies + 1)
        wins = shortest < MOST
        # A winner takes the shortest way out of the unit, unless a move inside it is shorter; a loser the longest, once
        # all moves inside are known to lose.
        due[i] = shortest if wins else longest
        count[i] = WINS if wins else internal + drawn
        # Without moves inside the unit, the distance is final.
        if internal == 0:
            near[i] = DRAWN if drawn and not wins else due[i] + 1
        last = max(last, np.int64(due[i]))
    return last


@kernel
def begin_mtc(
    expand: Expand,
    game: WordArray,
    unit: WordArray,
    store: ByteArray,
    values: ByteArray,
    near: ByteArray,
    count: ByteArray,
    due: ByteArray,
    first: int,
    end: int,
) -> Whole:
    """Examine the moves of the positions first..end-1 once, as begin_dtw, for distances to the next irreversible move.

    Irreversible moves leave the unit. store: packed values of all positions. values: values of this unit.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    last: Whole = 0
    for i in range(first, end):
        # The values are known; only won and lost positions have distances.
        if values[i] != WIN and values[i] != LOSS:
            near[i] = DRAWN
            continue
        moves = expand(at(game, U0), at(unit, U0), np.uint64(i), at(out, U0))
        external, internal = moves & _EXTERNAL, moves >> EXTERNAL_BITS
        # A loser may leave the unit at once; a winner only by a move that keeps the win.
        converts: Truth = external > 0
        if values[i] == WIN:
            converts = False
            for j in range(external):
                converts |= successor_value(store, out[j]) == LOSS
        due[i] = 1 if converts else 0
        count[i] = internal if values[i] == LOSS else WINS
        if internal == 0 or (converts and values[i] == WIN):
            near[i] = due[i] + 1
        # No move out of the unit wins, so only a settled loss inside it gives the distance.
        elif values[i] == WIN:
            due[i] = MOST
        last = max(last, np.int64(due[i]) if due[i] < MOST else 0)
    return last


@kernel
def settle(
    predecessors: Predecessors,
    game: WordArray,
    unit: WordArray,
    near: ByteArray,
    count: ByteArray,
    due: ByteArray,
    values: ByteArray,
    ply: int,
) -> int:
    """Settle the positions with distance `ply`, update their predecessors, and return the number settled.

    A predecessor of a lost position is won; for a predecessor of a won position, one more move is known to lose.
    values: values of the unit for MTC, where the parity of a distance does not give the value; empty for DTW.
    """
    out = np.empty(MAX_MOVES, np.uint64)
    settled = 0
    for i in range(near.size):
        # The distance of the moves out of the unit is due now; for a loss, only if no move inside it may be better.
        if near[i] == 0:
            if due[i] != ply or (count[i] != 0 and count[i] != WINS):
                continue
            near[i] = ply + 1
        elif near[i] != ply + 1:
            continue
        settled += 1
        # In the metric DTW the parity of the distance tells the value.
        lost = values[i] == LOSS if values.size else ply & 1 == 0
        for j in range(predecessors(at(game, U0), at(unit, U0), np.uint64(i), at(out, U0))):
            before = out[j]
            # Its distance is known already.
            if near[before] != 0:
                continue
            if lost:
                near[before] = ply + 2
            elif count[before] != WINS:
                count[before] -= 1
                # The last move inside the unit gives the longest loss, unless a move out of it, due later, is longer.
                if count[before] == 0 and due[before] <= ply + 1:
                    near[before] = ply + 2
    return settled


@kernel
def values_of(distances: ByteArray, values: ByteArray) -> ByteArray:
    """Convert distance bytes to the end of the game (0: draw) to values."""
    for i in range(distances.size):
        values[i] = value_of(distances[i])
    return values
