"""Values of all positions with up to N pieces, and whether values follow from one another."""

from collections.abc import Callable

import numpy as np

from gameforge.interfaces.oracle import Announce
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
