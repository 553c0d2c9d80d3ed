"""What a game supplies: its positions in slices, the order to solve them in, and two table functions.

A unit is a set of slices whose moves lead to the same unit or to units of earlier levels. Units of one level do
not depend on each other, so each is solved by a thread of its own. The positions of a unit are numbered
from 0, slice by slice.

| function                         | returns | does |
|----------------------------------|---------|------|
| expand(game, unit, i, out)       | int64   | writes the successors of position i outside the unit; returns their number, plus 2^16 times the number of moves that stay in the unit |
| predecessors(game, unit, i, out) | int64   | writes the positions of the unit with a move to position i that stays in it; returns their number |

`game` is the block of the game's tables, which all threads share; `unit` the block of the unit, which belongs to one
thread and is workspace, too. Two moves to the same position count, and are written, twice. A successor outside the
unit is STORED plus its place in the store, or, if it is not stored, its value for the side to move there (LOSS: the
side to move has lost, so the move wins; distances to the end know no game that ends with a win of the side to move). A
position without moves is lost.

A unit block made with `conversions` serves the metric mtc: expand and predecessors then count as leaving the
unit every move that can not be taken back (a capture, a man's move, a placement).
"""  # noqa: E501  (a table)

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numba import types
from numpy.typing import NDArray

from gameforge.kernel.abi import WORD, WORDS

Words = NDArray[np.uint64]

EXTERNAL_BITS = 16
MAX_MOVES = 240
"""Moves of a position, and predecessors of one in its unit, at most; moves that stay in the unit: 120."""
STORED = 4

EXPAND = types.int64(WORDS, WORDS, WORD, WORDS)
PREDECESSORS = types.int64(WORDS, WORDS, WORD, WORDS)

Unit = tuple[int, ...]
"""Numbers of its slices."""


class Indexer(Protocol):
    """The positions of a game's ending."""

    @property
    def sizes(self) -> Sequence[int]:
        """Number of positions of each slice; slices are numbered in solving order."""
        ...

    @property
    def levels(self) -> Sequence[Sequence[Unit]]:
        """All units, by level."""
        ...

    @property
    def expand(self) -> Callable[..., Any]: ...

    @property
    def predecessors(self) -> Callable[..., Any]: ...

    def game_block(self, places: Sequence[int]) -> Words:
        """Tables for all slices; places[n] is the place of the first position of slice n in the store."""
        ...

    def unit_block(self, unit: Unit, conversions: bool = False) -> Words:
        """Tables and workspace for one unit."""
        ...
