"""Capability `cells` of rules: the board as a list of cells, each empty or holding one of a few codes.

Evaluators that look at groups of cells, and know no game, are built on it. Rules offer
it as their attribute `cells`.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CELLS = 64


@attrs.frozen(kw_only=True)
class PatternSet:
    """Groups of cells that suit a game, and how their weights change in the course of a game."""

    patterns: tuple[tuple[int, ...], ...]
    """The cells of each pattern. The images under the symmetries are added by who reads the set."""
    codes: tuple[str, ...] = ()
    """The codes that patterns tell apart; a cell with another code looks empty to them. (): all codes."""
    counter: str = "pieces"
    """What the phases are told by: `pieces`, the occupied cells, or one of the numbers of Cells."""
    phases: tuple[int, ...] = (0, MOST_CELLS)
    """Values of the counter, ascending: a set of weights for each. Between two of them weights are interpolated."""


@attrs.frozen(kw_only=True)
class Cells:
    """The cells of a game, and the function `cells(data, s, planes)` that reads them from a state.

    The function writes a word for each code to planes[0], planes[1], ...: bit i is set if cell i has that code. It
    looks from the side to move: codes distinguish own pieces from the opponent's, and the board is turned where that
    makes both sides look alike. After these words it writes the numbers, int64 as words.
    """

    cells: Callable[..., Any]
    places: tuple[tuple[int, int], ...]
    """(row, column) of each cell, all different, at most 64."""
    codes: tuple[str, ...] = ("own", "other")
    """Names of the codes, from code 1 on. Code 0 is the empty cell."""
    names: tuple[str, ...] = ()
    """Names of the cells, as people write them; (): the column as a letter and the row as a number, from a1 on."""
    images: tuple[tuple[int, ...], ...] = ()
    """Symmetries of the board that leave the game as it is for the side to move: images[k][i] is the image of cell i.

    They form a group, in which the identity may be left out.
    """
    numbers: tuple[str, ...] = ()
    """What the function counts beside the cells, such as mobility: small integers, the same for both sides' views."""
    sets: Mapping[str, PatternSet] = attrs.field(factory=dict)
    """Pattern sets by name; the first is the default."""
    data: "NDArray[np.uint64] | None" = None
    """Settings that the function gets as its first block."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells, made from their places where the game has none."""
        return self.names or tuple(f"{chr(ord('a') + column)}{row + 1}" for row, column in self.places)

    def __attrs_post_init__(self) -> None:
        """Raise GameforgeError, for the plugin's author, if the lists do not fit together."""
        n = len(self.places)
        if not 1 <= n <= MOST_CELLS:
            raise GameforgeError(f"Cells: there are {n} places; 1 to {MOST_CELLS} are allowed")
        if not self.codes:
            raise GameforgeError("Cells: codes is empty; a cell needs at least one code beside empty")
        if len(self.labels) != n:
            raise GameforgeError(f"Cells: there are {len(self.names)} names for {n} places")
        for what in ("places", "names", "codes", "numbers"):
            listed = getattr(self, what)
            if len(set(listed)) != len(listed):
                raise GameforgeError(f"Cells: {what} holds an entry twice: {listed!r}")
        for image in self.images:
            if sorted(image) != list(range(n)):
                raise GameforgeError(f"Cells: images holds {image!r}, which is not a permutation of {n} cells")
