"""The capability `cells` of rules: the board as a list of cells, each of which is empty or holds one of a few codes.

It is the basis of evaluators that look at groups of cells and work for any game with this capability. Rules offer it
as their attribute `cells`.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CELLS = 64
"""Maximum number of cells, one for each bit of a word."""


@attrs.frozen(kw_only=True)
class PatternSet:
    """Groups of cells that suit a game, and the phases of the game with weights of their own."""

    patterns: tuple[tuple[int, ...], ...]
    """The cells of each pattern, without their images under the symmetries, which the reader of the set adds."""
    codes: tuple[str, ...] = ()
    """The codes that patterns distinguish; a cell with another code counts as empty. (): all codes."""
    counter: str = "pieces"
    """What determines the phase: `pieces`, the number of occupied cells, or the name of one of Cells.numbers."""
    phases: tuple[int, ...] = (0, MOST_CELLS)
    """Values of the counter, ascending. Each has a set of weights; between two values, weights are interpolated."""


@attrs.frozen(kw_only=True)
class Cells:
    """The cells of a game, and the function `cells(data, s, planes)` that reads them from a state.

    The function writes one word for each code to planes[0], planes[1], ...: bit i is set if cell i has this code. It
    sees the board from the side to move: codes distinguish own pieces from the opponent's, and the board is turned if
    this makes both sides look alike. After these words it writes the numbers, int64 as words.
    """

    cells: Callable[..., Any]
    """The function; it is compiled."""
    places: tuple[tuple[int, int], ...]
    """(row, column) of each cell, all different, at most 64."""
    codes: tuple[str, ...] = ("own", "other")
    """Names of the codes, from code 1 on. Code 0 is the empty cell."""
    names: tuple[str, ...] = ()
    """Names of the cells in the notation of the game; (): the column as a letter and the row as a number, from a1."""
    images: tuple[tuple[int, ...], ...] = ()
    """Symmetries of the board that preserve the game for the side to move: `images[k][i]` is the image of cell i.

    They form a group; the identity may be omitted.
    """
    numbers: tuple[str, ...] = ()
    """Names of the numbers after the planes, such as mobility: small integers, seen from the side to move."""
    sets: Mapping[str, PatternSet] = attrs.field(factory=dict)
    """Pattern sets by name; the first is the default."""
    data: "NDArray[np.uint64] | None" = None
    """Settings, which the function gets as its first block."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells, derived from their places if the game has no names."""
        return self.names or tuple(f"{chr(ord('a') + column)}{row + 1}" for row, column in self.places)

    def __attrs_post_init__(self) -> None:
        """Raise GameforgeError, for the plugin's author, if the lists do not fit together."""
        n = len(self.places)
        if not 1 <= n <= MOST_CELLS:
            raise GameforgeError(f"Cells: there are {n} places; 1 to {MOST_CELLS} are allowed")
        if not self.codes:
            raise GameforgeError("Cells: codes is empty; at least one code is needed besides the empty cell")
        if len(self.labels) != n:
            raise GameforgeError(f"Cells: there are {len(self.names)} names for {n} places")
        for what in ("places", "names", "codes", "numbers"):
            listed = getattr(self, what)
            if len(set(listed)) != len(listed):
                raise GameforgeError(f"Cells: {what} has an entry twice: {listed!r}")
        for image in self.images:
            if sorted(image) != list(range(n)):
                raise GameforgeError(f"Cells: images has {image!r}, which is not a permutation of {n} cells")
