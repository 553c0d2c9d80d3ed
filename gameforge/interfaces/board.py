"""The capability `board` of rules: the board as people see and touch it, for the browser.

It says where the cells are, which pieces stand on them, and which cells a person clicks to make a move. The capability
`cells` describes the same board to evaluators, from the side to move; here nothing turns with the side to move. Rules
offer it as their attribute `board`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State

Shape = Literal["square", "hole", "point"]
"""The look of a cell."""
KING = "king"
"""The kind of a crowned piece; it is drawn with a crown."""
_COLOUR = re.compile(r"#[0-9a-f]{6}")


class Piece(NamedTuple):
    """A piece on a cell."""

    cell: int
    """The index of its cell, from 0."""
    side: int
    """Its owner: 0 the first mover, 1 the second."""
    kind: str = ""
    """A name for pieces that are not all alike, such as KING. Other kinds are drawn with their first letter."""


@attrs.frozen(kw_only=True)
class Board:
    """The cells of a board, numbered from 0, its pieces, and its moves as paths of cells."""

    places: tuple[tuple[float, float], ...]
    """(row, column) of the centre of each cell; neighbouring cells are one unit apart."""
    pieces: Callable[[State], Sequence[Piece]]
    """Returns the pieces of a state, at most one on each cell."""
    path: Callable[[State, int], Sequence[int]]
    """Returns the cells to click, in order, to make a legal move.

    The moved piece stands on the first of them, if it was on the board already, and passes over the others. A cell
    whose piece the mover then picks for removal comes last. A move without a cell, such as a pass, has an empty path.
    """
    names: tuple[str, ...] = ()
    """Names of the cells in the notation of the game; (): the column as a letter and the row as a number, from a1."""
    shape: Shape = "square"
    """The look of a cell: a square, a round hole, or a point at which lines meet."""
    upwards: bool = False
    """Whether row 0 is at the bottom."""
    chequered: bool = False
    """Whether cells are dark and light in turn, with a dark one in the lower left corner."""
    lines: tuple[tuple[int, int], ...] = ()
    """Pairs of cells that a line joins."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Cells that are the same for a click, such as those of a column into which stones fall."""
    colours: tuple[str, str] = ("#f7f4ea", "#2a2724")
    """Colours of the pieces of the first and of the second mover, as #rrggbb."""
    ground: str = "#b58863"
    """Colour of the board."""
    note: Callable[[State], tuple[str, str]] | None = None
    """Returns a short text about each side, such as the number of its men in hand."""
    kinds: tuple[str, ...] = ("",)
    """The kinds of pieces that a person can place, the plain one first."""
    arrange: Callable[[State, Sequence[Piece], int], State] | None = None
    """`arrange(state, pieces, turn)` returns the state with these pieces, and the side `turn` to move, instead of those
    of `state`; everything else, such as the men in hand, stays. With it, people can set up positions, and the page
    shows what each piece is worth to an evaluator. The result need not be a position that can occur.
    """

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells, derived from their places if the game has no names."""
        return self.names or tuple(f"{chr(ord('a') + int(column))}{int(row) + 1}" for row, column in self.places)

    def __attrs_post_init__(self) -> None:
        """Raise GameforgeError, for the plugin's author, if the fields do not fit together."""
        n = len(self.places)
        if not n:
            raise GameforgeError("Board: places is empty; a board has at least one cell")
        if len(set(self.places)) != n:
            raise GameforgeError("Board: two cells have the same place")
        if len(self.labels) != n:
            raise GameforgeError(f"Board: there are {len(self.names)} names for {n} places")
        if len(set(self.labels)) != n:
            raise GameforgeError("Board: two cells have the same name")
        for what, groups in (("lines", self.lines), ("groups", self.groups)):
            wrong = [cell for group in groups for cell in group if not 0 <= cell < n]
            if wrong:
                raise GameforgeError(f"Board: {what} has the cell {wrong[0]}; cells are numbered from 0 to {n - 1}")
        for colour in (*self.colours, self.ground):
            if not _COLOUR.fullmatch(colour):
                raise GameforgeError(f"Board: {colour!r} is not a colour such as #1d3f5c, in lowercase letters")
