"""The interface between retrograde analysis and a game: slices of positions, their order, and two functions.

A unit is a set of slices whose moves lead to the same unit or to units of earlier levels. Units of the same level do
not depend on each other and are solved by different threads. The positions of a unit are numbered from 0, slice by
slice.

| function                         | returns | does |
|----------------------------------|---------|------|
| expand(game, unit, i, out)       | int64   | writes the successors of position i outside the unit; returns their number, plus 2^16 times the number of moves that stay in the unit |
| predecessors(game, unit, i, out) | int64   | writes the positions of the unit with a move to position i that stays in the unit; returns their number |

`game` is the block of the game's tables, which all threads share. `unit` is the block of the unit, including workspace;
only one thread uses it. Two moves to the same position are written and counted twice. A successor outside the unit is
written as STORED plus its place in the store, or, if it is not stored, as its value for the side to move there. (LOSS:
the side to move has lost, so the move wins. Distances to the end assume that no game ends with a win for the side to
move.) A position without moves is lost.

A unit block made with `conversions` is for the metric MTC: for expand and predecessors, every irreversible move (a
capture, a man's move, a placement) then leaves the unit.
"""  # noqa: E501  (a table)

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numba import types
from numpy.typing import NDArray

from gameforge.kernel.abi import WORD, WORDS

Words = NDArray[np.uint64]
"""An array of words."""

EXTERNAL_BITS = 16
"""`expand` counts the moves that leave the unit in its low 16 bits, and the others above them."""
MAX_MOVES = 240
"""Maximum number of moves of a position, and of its predecessors in the unit; at most 120 moves stay in the unit."""
STORED = 4
"""The first number that stands for a place in the store; smaller ones are values."""

EXPAND = types.int64(WORDS, WORDS, WORD, WORDS)
"""The signature of `expand`."""
PREDECESSORS = types.int64(WORDS, WORDS, WORD, WORDS)
"""The signature of `predecessors`."""

Unit = tuple[int, ...]
"""The numbers of the slices of a unit."""


class Indexer(Protocol):
    """The positions of a game's endings, in slices and units."""

    @property
    def sizes(self) -> Sequence[int]:
        """The number of positions of each slice; slices are numbered in the order in which they are solved."""
        ...

    @property
    def levels(self) -> Sequence[Sequence[Unit]]:
        """All units, by level."""
        ...

    @property
    def expand(self) -> Callable[..., Any]:
        """The compiled function that lists the moves of a position."""
        ...

    @property
    def predecessors(self) -> Callable[..., Any]:
        """The compiled function that lists the positions from which a move leads to a position."""
        ...

    def game_block(self, places: Sequence[int]) -> Words:
        """Make the block `game`; places[n] is the place of the first position of slice n in the store."""
        ...

    def unit_block(self, unit: Unit, conversions: bool = False) -> Words:
        """Make the block `unit`, with tables and workspace for one unit."""
        ...
