"""The capability `symmetries` of games on a grid."""

from collections.abc import Callable

import attrs

from gameforge.grid.board import Image
from gameforge.interfaces.rules import State


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
