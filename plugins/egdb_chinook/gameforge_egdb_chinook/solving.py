"""Solve all positions with up to N pieces in memory, and check that values follow from one another.

The kernels that check make moves by the rules: they share the numbering of positions with the solver, but not its own
way of making moves.
"""

from collections.abc import Callable, Iterator

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BOARD as PADDED_BOARD
from gameforge_draughts.movegen import STATE_WORDS
from gameforge_retrograde.indexer import ByteArray, Unit
from gameforge_retrograde.kernels import stored_value
from gameforge_retrograde.solver import Solver, packed_places

from gameforge.interfaces import DRAW, LOSS, WIN, Announce
from gameforge.kernel import U0, U1, UNKNOWN, Whole, WordArray, Words, at, inline, kernel
from gameforge_egdb_chinook import indexing
from gameforge_egdb_chinook.indexing import BOARD, climbing_jumpers, sinking_jumpers, state_index
from gameforge_egdb_chinook.slices import Slice, slices
from gameforge_egdb_chinook.units import BLACK_KINGS, BLACK_MEN, WHITE_MEN, DraughtsUnits, white_kings_at


def packed_solver(units: DraughtsUnits, store: ByteArray | None = None) -> Solver:
    """A solver whose values are packed four per byte, in `store` or in new memory."""
    places = packed_places(units.sizes)
    return Solver(units, np.zeros(places[-1] // 4, np.uint8) if store is None else store, places)


def solve(pieces: int, workers: int, announce: Announce) -> ByteArray:
    """Solve every position from the rules alone; returns one byte per position, in the order of slices.py."""
    units = DraughtsUnits(slices(pieces))
    solver = packed_solver(units)
    values = np.empty(sum(units.sizes), np.uint8)

    def solve_unit(unit: Unit) -> None:
        found = solver.outcomes(unit)
        solver.keep(unit, found)
        units.scatter(unit, found, values)

    what = f"solving all positions with up to {pieces} pieces"
    solver.run(solve_unit, workers, running_total(announce, what, len(values)))
    return values


def running_total(announce: Announce, what: str, total: int) -> Callable[[int], None]:
    """A function that adds the number it is given to a sum and announces the sum out of `total`."""
    done = 0

    def add(positions: int) -> None:
        nonlocal done
        done += positions
        announce(what, done, total)

    return add


def _first_wrong(
    units: DraughtsUnits, unit: Unit, check: Callable[[Slice, int, int], int]
) -> Iterator[tuple[Slice, int]]:
    """Yield the first wrong position of each slice of a unit that has one, as the slice and an index in it.

    check(s, first, end) returns the first wrong position among first..end-1 of the unit, or `end`.
    """
    first = 0
    for s in (units.slices[number] for number in unit):
        i = int(check(s, first, first + s.size))
        if i < first + s.size:
            yield s, i - first
        first += s.size


def contradictions(
    units: DraughtsUnits, game: WordArray, store: ByteArray, unit: Unit, values: ByteArray
) -> Iterator[tuple[Slice, int]]:
    """Yield (slice, index) of the first value of each slice of a unit that does not follow from its successors'."""
    block = units.unit_block(unit)
    return _first_wrong(units, unit, lambda s, first, end: contradiction(game, block, store, values, first, end))


def wrong_distances(
    units: DraughtsUnits, game: WordArray, distances: ByteArray, unit: Unit, is_mtc: bool
) -> Iterator[tuple[Slice, int]]:
    """Yield (slice, index) of the first distance of each slice of a unit that does not follow from its successors'."""
    block = units.unit_block(unit)
    return _first_wrong(
        units, unit, lambda s, first, end: wrong_distance(game, block, distances, s.start, is_mtc, first, end)
    )


_STATE_WORDS, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
WORKSPACE = 2 * STATE_WORDS + movegen.MAX_MOVES
"""Words of a kernel's workspace: a state, a successor and the moves."""

_gen, _play, _irreversible = inline(movegen.gen), inline(movegen.play), inline(movegen.irreversible)
_FIRST_LOSS, _MOST_MTC, _FAR = 128, 127, 1 << 20
"""Smallest byte of a loss and maximum number of plies in the metric mtc; a number greater than any distance."""


@kernel
def write_state(game: WordArray, unit: WordArray, i: Whole, state: WordArray) -> None:
    """Write the words of the draughts state that is position i of a unit."""
    u = at(unit, U0)
    white_kings = white_kings_at(at(game, U0), u, np.uint64(i))
    indexing.write_state(at(state, U0), u[BLACK_MEN], u[WHITE_MEN], u[BLACK_KINGS], white_kings)


@kernel
def forget_captures(game: WordArray, unit: WordArray, values: ByteArray) -> None:
    """Set the value of each position in which either side could capture to UNKNOWN."""
    g, u = at(game, U0), at(unit, U0)
    for i in range(values.size):
        white_kings = white_kings_at(g, u, np.uint64(i))
        black_kings = u[BLACK_KINGS]
        black, white = u[BLACK_MEN] | black_kings, u[WHITE_MEN] | white_kings
        empty = BOARD & ~(black | white)
        if (
            climbing_jumpers(black, white, empty)
            | sinking_jumpers(black_kings, white, empty)
            | sinking_jumpers(white, black, empty)
            | climbing_jumpers(white_kings, black, empty)
        ):
            values[i] = UNKNOWN


@inline
def _value(game: Words, space: Words, store: ByteArray) -> np.int64:
    """Value of the state in space[0:3] by the stored values of its successors, UNKNOWN if these do not determine it."""
    s, child, moves = at(space, U0), at(space, _STATE_WORDS), at(space, _MOVES)
    n = _gen(s, s, moves)
    lost = True
    unknown = False
    for i in range(n):
        _play(s, s, moves[i], child)
        if child[0] == U0:
            return np.int64(WIN)
        value = stored_value(store, state_index(game, child[0], child[1], child[2] & PADDED_BOARD, U1))
        if value == LOSS:
            return np.int64(WIN)
        unknown |= value == UNKNOWN
        lost &= value == WIN
    if lost:
        return np.int64(LOSS)
    return np.int64(UNKNOWN if unknown else DRAW)


@kernel
def contradiction(game: WordArray, unit: WordArray, store: ByteArray, values: ByteArray, first: int, end: int) -> int:
    """First of a unit's positions first..end-1 whose value does not follow from its successors' values, else `end`."""
    space = np.empty(WORKSPACE, np.uint64)
    for i in range(first, end):
        write_state(game, unit, i, space)
        if values[i] != _value(at(game, U0), space, store):
            return i
    return end


@inline
def _loss_byte(is_mtc: bool) -> np.int64:
    """Distance byte of a side to move without pieces or moves."""
    return np.int64(_FIRST_LOSS if is_mtc else 1)


@inline
def _distance(game: Words, space: Words, distances: ByteArray, is_mtc: bool) -> Whole:
    """Distance byte (FORMAT.md) of the state in space[0:3] by those of its successors."""
    s, child, moves = at(space, U0), at(space, _STATE_WORDS), at(space, _MOVES)
    n = _gen(s, s, moves)
    shortest: Whole = np.int64(_FAR)
    longest: Whole = np.int64(0)
    drawn = False
    for i in range(n):
        _play(s, s, moves[i], child)
        byte = _loss_byte(is_mtc)
        if child[0] != U0:
            byte = np.int64(distances[state_index(game, child[0], child[1], child[2] & PADDED_BOARD, U1)])
        if byte == 0:
            drawn = True
            continue
        # The parity of plies to the end tells who wins; the metric MTC marks losses instead.
        is_lost = byte >= _FIRST_LOSS if is_mtc else byte & 1 == 1
        plies = byte if not is_mtc else byte - _FIRST_LOSS if is_lost else byte
        # An irreversible move is the conversion itself, whatever follows it.
        if is_mtc and _irreversible(s, s, moves[i]):
            plies = np.int64(0)
        if is_lost:
            shortest = min(shortest, plies + 1)
        else:
            longest = max(longest, plies + 1)
    if shortest < _FAR:
        return min(shortest, _MOST_MTC) if is_mtc else shortest
    if drawn:
        return np.int64(0)
    if n == 0:
        return _loss_byte(is_mtc)
    return _FIRST_LOSS + min(longest, _MOST_MTC) if is_mtc else longest


@kernel
def wrong_distance(
    game: WordArray, unit: WordArray, distances: ByteArray, starts: int, is_mtc: bool, first: int, end: int
) -> int:
    """First of a unit's positions first..end-1 whose distance byte does not follow from its successors', else `end`.

    The byte of position i is distances[starts + i - first].
    """
    space = np.empty(WORKSPACE, np.uint64)
    for i in range(first, end):
        write_state(game, unit, i, space)
        if distances[starts + i - first] != _distance(at(game, U0), space, distances, is_mtc):
            return i
    return end
