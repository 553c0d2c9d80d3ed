"""Solve all positions with up to N pieces in memory, and check that values follow from one another."""

from collections.abc import Callable

import numpy as np

from gameforge.interfaces.oracle import Announce
from gameforge.retrograde.indexer import Unit, Words
from gameforge.retrograde.solver import Bytes, Solver, packed_places
from gameforge_egdb_chinook import recurrence
from gameforge_egdb_chinook.slices import Slice, slices
from gameforge_egdb_chinook.units import DraughtsUnits


def packed_solver(units: DraughtsUnits, store: Bytes | None = None) -> Solver:
    """A solver whose values are packed four per byte, in `store` or in new memory."""
    places = packed_places(units.sizes)
    return Solver(units, np.zeros(places[-1] // 4, np.uint8) if store is None else store, places)


def solve(pieces: int, workers: int, announce: Announce) -> Bytes:
    """Solve every position from the rules alone; returns one byte per position, in the order of slices.py."""
    units = DraughtsUnits(slices(pieces))
    solver = packed_solver(units)
    values = np.empty(sum(units.sizes), np.uint8)

    def solve_unit(unit: Unit) -> None:
        found = solver.outcomes(unit)
        solver.keep(unit, found)
        units.scatter(unit, found, values)

    what = f"solving all positions with up to {pieces} pieces"
    solver.run(solve_unit, workers, counted(announce, what, len(values)))
    return values


def counted(announce: Announce, what: str, total: int) -> Callable[[int], None]:
    """A function that adds the number it is given to a sum and announces the sum out of `total`."""
    done = 0

    def add(positions: int) -> None:
        nonlocal done
        done += positions
        announce(what, done, total)

    return add


def contradictions(
    units: DraughtsUnits, game: Words, store: Bytes, unit: Unit, values: Bytes
) -> list[tuple[Slice, int]]:
    """The first position of each slice of a unit whose value does not follow from those of its successors.

    Returns pairs of a slice and an index in it; slices without such a position are left out.
    """
    block = units.unit_block(unit)
    found = []
    first = 0
    for s, part in units.parts(unit, values):
        i = int(recurrence.contradiction(game, block, store, values, first, first + len(part)))
        if i < first + len(part):
            found.append((s, i - first))
        first += len(part)
    return found
