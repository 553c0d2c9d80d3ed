"""The capabilities `board`, `cells` and `moves`: the board as people and as evaluators see it, and moves as numbers.

`board` is the board for the browser: it says where the cells are, which pieces stand on them, and which cells a person
clicks to make a move. Nothing turns with the side to move.

`cells` is the board as a list of cells, each of which is empty or holds one of a few codes, from the side to move. It
is the basis of evaluators that look at groups of cells and work for any game with this capability.

`moves` gives each move an index, as policies and environments number their actions. The words of moves are large and
sparse. An index is small and means the same kind of move in every position, such as a disc on one square, so that a
policy can learn from one position for another.

Rules offer them as their attributes `board`, `cells` and `moves`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import attrs

from gameforge.config import kinds
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Shape = Literal["square", "hole", "point"]
"""The look of a cell."""
Stroke = Literal["line", "wall", "arrow"]
"""What is drawn for two cells: a line that joins them, a wall between them, or an arrow to the second."""
_COLOUR = re.compile(r"#[0-9a-f]{6}")


class Piece(NamedTuple):
    """A piece on a cell."""

    cell: int
    """The index of its cell, from 0."""
    side: int
    """Its owner: 0 the first mover, 1 the second, 2 nobody, as of a stone that both sides may pass but not move."""
    kind: str = ""
    """A name for pieces that are not all alike, such as `Board.KING`. Other kinds are drawn with their first letter."""


@attrs.frozen(kw_only=True)
class Board:
    """The cells of a board, numbered from 0, its pieces, and its moves as paths of cells."""

    KING: ClassVar[str] = "king"
    """The kind of a crowned piece; it is drawn with a crown."""
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
    strokes: Callable[[State], Sequence[tuple[Stroke, int, int, int]]] | None = None
    """Returns what moves have drawn on the board: (stroke, cell, other cell, owner), with owners as of pieces."""
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

    cells: Callable[..., object]
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
    """Names of the numbers after the planes, such as mobility: small integers, seen from the side to move.

    `planes[i] = np.int64(number)` writes one that can be negative.
    """
    sets: Mapping[str, PatternSet] = attrs.field(factory=dict)
    """Pattern sets by name; the first is the default."""
    data: "NDArray[np.uint64] | None" = None
    """Settings, which the function gets as its first block."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the cells, derived from their places if the game has no names."""
        return self.names or tuple(f"{chr(ord('a') + column)}{row + 1}" for row, column in self.places)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, rows and columns of the planes of a position: a channel for each code, then one for each number."""
        rows, columns = (1 + max(places) for places in zip(*self.places, strict=True))
        return len(self.codes) + len(self.numbers), rows, columns

    @property
    def turns(self) -> tuple[tuple[int, ...], ...]:
        """The ways in which the other side may see the board: as it is, by half a turn, by a flip, in a mirror.

        Those that lead from cells to cells; `turns[k][i]` is the cell that is seen in the place of cell i.
        """
        rows, columns = (max(places) for places in zip(*self.places, strict=True))
        cell_at = {place: cell for cell, place in enumerate(self.places)}
        turns = []
        for flip, mirror in ((0, 0), (1, 1), (1, 0), (0, 1)):
            seen = [(abs(flip * rows - row), abs(mirror * columns - column)) for row, column in self.places]
            if all(place in cell_at for place in seen):
                turns.append(tuple(cell_at[place] for place in seen))
        return tuple(turns)

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


@attrs.frozen(kw_only=True)
class MoveIndices:
    """The indices of a game's moves: 0 to `size` - 1, and a function `index(data, s, m)` that says which a move has.

    Legal moves are numbered in the order of `gen`. A move gets its index or, if an earlier move of the same position
    has it, the next free one, where 0 follows the last one. So moves that a small number can hardly distinguish, such
    as two routes of a capture, may share an index if the numbers after it are seldom in use.

    Indices see the board as `cells` does: if that is turned for one of the sides, so are the indices.
    """

    size: int = attrs.field(validator=kinds.at_least(1))
    """Number of indices; at least the number of legal moves in any position."""
    index: Callable[..., object]
    """The function; it is compiled."""
    data: "NDArray[np.uint64] | None" = None
    """Settings, which the function gets as its first block."""
