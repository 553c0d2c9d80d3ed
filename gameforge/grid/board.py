"""The grid: its cells, their names, its symmetries as permutations of cells, and the capability `symmetries`."""

import string
from collections.abc import Callable

import attrs

from gameforge.config import kinds
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State

Image = tuple[int, ...]
"""A symmetry of the board: image[cell] is where the cell goes."""


@attrs.frozen
class Grid:
    """A board of rows and columns. Cell 0 is a1 at the bottom left, cell 1 is b1, and cell `columns` is a2."""

    rows: int = attrs.field(validator=kinds.within(1, 99))
    """Number of rows, 1 to 99."""
    columns: int = attrs.field(validator=kinds.within(1, 26))
    """Number of columns, 1 to 26, named by letters."""

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """(row, column) of each cell, as `gameforge.interfaces.board.Cells` needs them."""
        return tuple(divmod(cell, self.columns) for cell in range(self.size))

    @property
    def letters(self) -> str:
        """The names of the columns."""
        return string.ascii_lowercase[: self.columns]

    def name(self, cell: int) -> str:
        """Return the name of a cell, such as c4."""
        row, column = divmod(cell, self.columns)
        return f"{self.letters[column]}{row + 1}"

    def cell(self, name: str) -> int:
        """Return the cell of this name; GameforgeError if there is none."""
        letter, row = name[:1].lower(), name[1:]
        if letter and letter in self.letters and row.isdecimal() and 1 <= int(row) <= self.rows:
            return (int(row) - 1) * self.columns + self.letters.index(letter)
        raise GameforgeError(f"there is no cell {name!r}; the cells are a1 to {self.name(self.size - 1)}")

    @property
    def mirrored(self) -> Image:
        """Exchanges left and right."""
        return tuple(self._cell(row, self.columns - 1 - column) for row, column in self.places)

    @property
    def flipped(self) -> Image:
        """Exchanges top and bottom."""
        return tuple(self._cell(self.rows - 1 - row, column) for row, column in self.places)

    @property
    def turned(self) -> Image:
        """Turns the board by half a circle."""
        return tuple(reversed(range(self.size)))

    @property
    def images(self) -> tuple[Image, ...]:
        """All symmetries but the identity: 3 of a rectangle, 7 of a square."""
        half = (self.mirrored, self.flipped, self.turned)
        if self.rows != self.columns:
            return half
        diagonal = tuple(self._cell(column, row) for row, column in self.places)
        return (*half, diagonal, *(tuple(image[cell] for cell in diagonal) for image in half))

    def _cell(self, row: int, column: int) -> int:
        return row * self.columns + column


def moved_bits(word: int, image: Image) -> int:
    """Return a word whose bits are cells after the symmetry has moved them; bits beyond the board are dropped."""
    return sum(1 << target for cell, target in enumerate(image) if word >> cell & 1)


@attrs.frozen(kw_only=True)
class GridSymmetries:
    """Symmetries of the board that are symmetries of the game."""

    images: tuple[Image, ...]
    """The symmetries but for the identity; with it they form a group."""
    state: Callable[[State, Image], State]
    """Returns the image of a state; `moved_bits` helps."""
    move: Callable[[int, Image], int]
    """Returns the image of a move."""

    @property
    def count(self) -> int:
        """Number of symmetries, the identity included."""
        return len(self.images) + 1

    def state_image(self, state: State, i: int) -> State:
        """Return the image of a state; 0 is the identity."""
        return self.state(state, self.images[i - 1]) if i else state

    def move_image(self, state: State, move: int, i: int) -> int:
        """Return the image of a move."""
        return self.move(move, self.images[i - 1]) if i else move
