"""The indexer of English draughts, with which retrograde analysis (gameforge.retrograde) numbers positions.

It is part of this plugin and not of the rules because it divides positions as Chinook's files do, so that solved slices
can be written as they are.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gameforge.retrograde.indexer import Unit, Words
from gameforge_egdb_chinook import unit_moves
from gameforge_egdb_chinook.slices import Slice, table_block
from gameforge_egdb_chinook.unit_block import arrangements, unit_block


class DraughtsUnits:
    """The units of the given slices (slices.py), which must be in solving order."""

    expand = staticmethod(unit_moves.expand)
    predecessors = staticmethod(unit_moves.predecessors)

    def __init__(self, slices: Sequence[Slice]) -> None:
        self.slices = slices
        self.sizes = [s.size for s in slices]
        self.starts = [s.start for s in slices]
        numbers = {(s.material, s.black_rank, s.white_rank): number for number, s in enumerate(slices)}
        self.levels: list[list[Unit]] = []
        for _, level in itertools.groupby(range(len(slices)), key=lambda number: slices[number].level):
            units: list[Unit] = []
            for number in level:
                s = slices[number]
                swapped = (s.white_kings, s.black_kings, s.white_men, s.black_men), s.white_rank, s.black_rank
                other = numbers[swapped]
                if number <= other:
                    units.append((number,) if number == other else (number, other))
            self.levels.append(units)
        self._boards: list[int] = []

    def game_block(self, places: Sequence[int]) -> Words:
        """The tables of indexing.py, followed by the arrangements of kings."""
        parts = [table_block(self.slices, places[: len(self.slices)])]
        length = len(parts[0])
        self._boards = []
        for kings in range(1 + max(max(s.black_kings, s.white_kings) for s in self.slices)):
            parts.append(arrangements(kings))
            self._boards.append(length)
            length += len(parts[-1])
        return np.concatenate(parts)

    def unit_block(self, unit: Unit, conversions: bool = False) -> Words:
        """The block of a unit; `game_block` must have been called before."""
        return unit_block([self.slices[number] for number in unit], self._boards, conversions)

    def gather(self, unit: Unit, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Copy a unit's bytes out of those of all positions, which are in the order of slices.py."""
        chosen = [self.slices[number] for number in unit]
        return np.concatenate([values[s.start : s.start + s.size] for s in chosen])

    def scatter(self, unit: Unit, found: NDArray[np.uint8], values: NDArray[np.uint8]) -> None:
        """Copy a unit's bytes into those of all positions, which are in the order of slices.py."""
        for s, part in self.parts(unit, found):
            values[s.start : s.start + s.size] = part

    def parts(self, unit: Unit, found: NDArray[np.uint8]) -> list[tuple[Slice, NDArray[np.uint8]]]:
        """The slices of a unit, each with its part of the unit's bytes."""
        chosen = [self.slices[number] for number in unit]
        ends = itertools.accumulate(s.size for s in chosen)
        return [(s, found[end - s.size : end]) for s, end in zip(chosen, ends, strict=True)]
