"""Values of all positions with up to N pieces: solved, or completed from those of quiet positions."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from gameforge.oracle import Announce
from gameforge.retrograde.indexer import Unit, Words
from gameforge.retrograde.solver import Bytes, Solver, packed_places
from gameforge_egdb_chinook import recurrence
from gameforge_egdb_chinook.slices import Slice, slices
from gameforge_egdb_chinook.units import DraughtsUnits


def packed_solver(units: DraughtsUnits, store: Bytes | None = None) -> Solver:
    """A solver with a packed store in memory, or with the one given."""
    places = packed_places(units.sizes)
    return Solver(units, np.zeros(places[-1] // 4, np.uint8) if store is None else store, places)


def solve(pieces: int, workers: int, announce: Announce) -> Bytes:
    """Value of every position in the order of slices.py, solved from the rules alone."""
    units = DraughtsUnits(slices(pieces))
    solver = packed_solver(units)
    values = np.empty(sum(units.sizes), np.uint8)

    def one(unit: Unit) -> None:
        found = solver.outcomes(unit)
        solver.keep(unit, found)
        units.scatter(unit, found, values)

    solver.run(one, workers, counted(announce, f"solving all positions with up to {pieces} pieces", len(values)))
    return values


def counted(announce: Announce, what: str, total: int) -> Callable[[int], None]:
    """Announces the sum of what it is told."""
    done = 0

    def add(positions: int) -> None:
        nonlocal done
        done += positions
        announce(what, done, total)

    return add


def forget_captures(values: NDArray[np.uint8], pieces: int, workers: int) -> None:
    """Set the value of each position in which either side could capture to UNKNOWN."""
    units = DraughtsUnits(slices(pieces))
    game = units.game_block(units.starts)

    def forget(unit: Unit) -> None:
        found = units.gather(unit, values)
        recurrence.forget_captures(game, units.unit_block(unit), found)
        units.scatter(unit, found, values)

    with ThreadPoolExecutor(workers) as pool:
        for level in units.levels:
            list(pool.map(forget, level))


def resolve_captures(values: Bytes, pieces: int, workers: int, announce: Announce) -> None:
    """Replace the values of all positions in which either side could capture by the true ones.

    They follow from the other values, which must be right: a line of play that stays among the
    replaced positions for ever is a draw, any other reaches a value that is known.
    """
    units = DraughtsUnits(slices(pieces))
    solver = packed_solver(units)
    game = units.game_block(units.starts)

    def one(unit: Unit) -> None:
        given = units.gather(unit, values)
        recurrence.forget_captures(game, units.unit_block(unit), given)
        found = solver.outcomes(unit, given)
        solver.keep(unit, found)
        units.scatter(unit, found, values)

    solver.run(one, workers, counted(announce, f"resolving captures with up to {pieces} pieces", len(values)))


def first_contradiction(values: Bytes, pieces: int, workers: int, announce: Announce) -> tuple[Slice, int] | None:
    """(slice, index in the slice) of a value that does not follow from those of its successors."""
    units = DraughtsUnits(slices(pieces))
    solver = packed_solver(units)
    for level in units.levels:
        for unit in level:
            solver.keep(unit, units.gather(unit, values))
    told = counted(announce, f"checking all positions with up to {pieces} pieces", len(values))
    game = units.game_block(solver.places)

    def check(unit: Unit) -> tuple[Slice, int] | None:
        found = contradictions(units, game, solver.store, unit, units.gather(unit, values))
        told(solver.size(unit))
        return found[0] if found else None

    with ThreadPoolExecutor(workers) as pool:
        for level in units.levels:
            for found in pool.map(check, level):
                if found is not None:
                    return found
    return None


def contradictions(
    units: DraughtsUnits, game: Words, store: Bytes, unit: Unit, values: Bytes
) -> list[tuple[Slice, int]]:
    """The first value that does not follow from those of its successors, of each slice of a unit that has one."""
    block = units.unit_block(unit)
    found = []
    first = 0
    for s, part in units.parts(unit, values):
        i = int(recurrence.contradiction(game, block, store, values, first, first + len(part)))
        if i < first + len(part):
            found.append((s, i - first))
        first += len(part)
    return found
