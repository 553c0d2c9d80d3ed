"""Planes: the cells of states as arrays of shape (states, channels, rows, columns), which convolutional nets read."""

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Cells
from gameforge.kernel.assembly import block, check
from gameforge.kernel.bits import U0, at
from gameforge.kernel.compile.functions import Function, compiled_function
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.types import FloatArray, Word, WordArray


@kernel
def read_cells(read: Function, data: WordArray, words: Word, states: WordArray, size: Word, planes: WordArray) -> None:
    """Let the function `cells` of a game write the `size` words of each state, one state after the other."""
    for i in range(np.uint64(len(states)) // words):
        read(at(data, U0), at(states, np.uint64(i) * words), at(planes, np.uint64(i) * size))


class Planes:
    """Makes planes of states: a channel for each code of the game's cells, and one for each of its numbers.

    A cell is 1.0 in the channel of its code, and a place of the rectangle that is no cell is 0.0 in all of them. The
    channel of a number holds it everywhere. The board is seen from the side to move, as `Cells` says.
    """

    def __init__(self, cells: Cells | None, words: int, game: str) -> None:
        """cells: the capability of the rules. words: of a state. game: its name, for the error if it has no cells."""
        if cells is None:
            raise GameforgeError(f"planes: {game} does not offer the capability 'cells'; take positions or states")
        self._read = compiled_function("cells", cells.cells)
        self._data = block(cells.data)
        self._words = np.uint64(words)
        self._numbers = len(cells.numbers)
        self._rows, self._columns = np.array(cells.places).T
        self._bits = np.arange(len(cells.places), dtype=np.uint64)
        self._shape = cells.shape

    def of(self, states: WordArray) -> FloatArray:
        """Return float32[N, channels, rows, columns] for states[N, words]."""
        n, channels = len(states), self._shape[0]
        found = np.zeros(n * channels, np.uint64)
        read_cells(
            self._read, self._data, self._words, np.ascontiguousarray(states).reshape(-1), np.uint64(channels), found
        )
        check(self._read)
        masks = found.reshape(n, channels)
        planes = np.zeros((n, *self._shape), np.float32)
        codes = channels - self._numbers
        planes[:, :codes, self._rows, self._columns] = masks[:, :codes, None] >> self._bits & np.uint64(1)
        planes[:, codes:] = masks[:, codes:].view(np.int64)[:, :, None, None]
        return planes
