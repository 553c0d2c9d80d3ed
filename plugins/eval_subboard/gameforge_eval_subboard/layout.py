"""Layout of the weights: in the vector that learners set, and in the block that kernels read.

The vector holds the weights that [Chellapilla2001] counts, then K; the README has a table:

    the windows: 854 weights, window by window, the dark squares of each in the order of their numbers; 91 biases
    the next 40 units: 91 weights for each, then 40 biases
    the next 10 units: 40 weights for each, then 10 biases
    the output: 10 weights, a bias
    K

The net of 1999 has no windows: its vector begins with 32 weights for each of the 40 units, then 40 biases; the weight
of the link from the piece difference, if there is one, comes before K.

The block is laid out for eight lanes: for each input a row of the next layer's units, padded with zeros, and then a row
of biases. The first layer has a row for each bit of the board, so the kernel needs no square numbers.
"""

import functools

import attrs
import numpy as np
from gameforge_draughts.board import BIT_OF, LAST_BIT, SQUARES

from gameforge.kernel import FloatArray, IntegerArray, simd

SECOND, THIRD = 40, 10
"""Units after the windows."""
KING, LINK, BIAS = range(3)
"""Head of the block: K, the link's weight, the output's bias."""
OUTPUT, THIRD_LANES = 8, 16
THIRD_ROWS = OUTPUT + THIRD_LANES
REST = THIRD_ROWS + (SECOND + 1) * THIRD_LANES
"""Start of the rows of the 40 units; without windows these are the first layer."""
BITS = LAST_BIT + 1
GROUP = 6 * simd.LANES
"""Number of units of the first layer that the kernel sums at once."""


def windows() -> tuple[tuple[int, ...], ...]:
    """The dark squares, 1..32, of the 91 windows: 3x3 to 8x8, each size row by row, starting at the corner of square
    1."""
    found = []
    for size in range(3, 9):
        for top in range(9 - size):
            for left in range(9 - size):
                cells = ((row, column) for row in range(top, top + size) for column in range(left, left + size))
                found.append(tuple(4 * row + column // 2 + 1 for row, column in cells if (row + column) % 2))
    return tuple(found)


@attrs.frozen(eq=False)
class Layout:
    """Positions of the weights of one kind of net."""

    free: int
    """Number of weights without K, which is the last entry of the vector."""
    places: IntegerArray
    """For each entry of the block, the index of its weight in the vector; -2 for a constant 0, -1 for a constant 1."""
    lanes: int
    """Units of the first layer, padded to whole groups."""

    @property
    def length(self) -> int:
        return self.free + 1

    def unpack(self, weights: FloatArray) -> FloatArray:
        """The block that holds these weights."""
        return np.append(weights, np.array([0, 1], np.float32))[self.places]

    def unpack_backward(self, weights: FloatArray, gradient: FloatArray) -> FloatArray:
        """The gradient with respect to the vector, in which each weight stands in one place of the block."""
        found = np.zeros(self.length + 2, np.float32)
        found[self.places] = gradient
        return found[:-2]


def _rows(first: int, inputs: int, units: int, lanes: int) -> IntegerArray:
    """Rows of a dense layer whose weights begin at `first`: unit by unit, then the biases."""
    rows = np.full((inputs + 1, lanes), -2)
    rows[:inputs, :units] = first + np.arange(units * inputs).reshape(units, inputs).T
    rows[inputs, :units] = first + units * inputs + np.arange(units)
    return rows


@functools.cache
def of_net(has_windows: bool, link: bool) -> Layout:
    """The layout of the net with the 91 windows, or of the net of 1999."""
    seen = windows() if has_windows else (tuple(range(1, SQUARES + 1)),) * SECOND
    units, connections = len(seen), sum(map(len, seen))
    lanes = -(-units // GROUP) * GROUP
    first = np.full((BITS + 1, lanes), -2)
    place = 0
    for unit, squares in enumerate(seen):
        for square in squares:
            first[BIT_OF[square - 1], unit] = place
            place += 1
    first[BITS, :units] = connections + np.arange(units)
    end = connections + units
    parts = [first]
    if has_windows:
        parts.insert(0, _rows(end, units, SECOND, SECOND))
        end += (units + 1) * SECOND
    parts.insert(0, _rows(end, SECOND, THIRD, THIRD_LANES))
    end += (SECOND + 1) * THIRD
    head = np.full(THIRD_ROWS, -2)
    head[OUTPUT : OUTPUT + THIRD] = end + np.arange(THIRD)
    head[BIAS] = end + THIRD
    free = end + THIRD + 1
    if link:
        head[LINK] = -1 if has_windows else free
        free += not has_windows
    head[KING] = free
    return Layout(free, np.concatenate([head, *(part.reshape(-1) for part in parts)]), lanes)
