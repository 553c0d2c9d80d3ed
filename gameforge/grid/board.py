"""The grid: its cells and their names, and the capabilities that rules offer with it.

* `symmetries`: permutations of cells.
* `positions`: a position is written as rows from the top, digits for empty cells, and the side to move.
* `notation`: a move has a text that does not depend on the position.
* `drawing`: a diagram for terminals, and an SVG picture with round pieces. `svg_document` and `svg_text` also serve
  pictures of other boards.
"""

import html
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from gameforge.config import kinds
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Drawing
from gameforge.interfaces.rules import State


class Image(tuple[int, ...]):
    """A symmetry of the board: image[cell] is where the cell goes."""

    __slots__ = ()

    def moved(self, word: int) -> int:
        """Return a word whose bits are cells after the symmetry has moved them; bits beyond the board are dropped."""
        return sum(1 << target for cell, target in enumerate(self) if word >> cell & 1)


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
        return Image(self._cell(row, self.columns - 1 - column) for row, column in self.places)

    @property
    def flipped(self) -> Image:
        """Exchanges top and bottom."""
        return Image(self._cell(self.rows - 1 - row, column) for row, column in self.places)

    @property
    def turned(self) -> Image:
        """Turns the board by half a circle."""
        return Image(reversed(range(self.size)))

    @property
    def images(self) -> tuple[Image, ...]:
        """All symmetries but the identity: 3 of a rectangle, 7 of a square."""
        half = (self.mirrored, self.flipped, self.turned)
        if self.rows != self.columns:
            return half
        diagonal = Image(self._cell(column, row) for row, column in self.places)
        return (*half, diagonal, *(Image(image[cell] for cell in diagonal) for image in half))

    def _cell(self, row: int, column: int) -> int:
        return row * self.columns + column


def _images(images: Iterable[tuple[int, ...]]) -> tuple[Image, ...]:
    return tuple(map(Image, images))


@attrs.frozen(kw_only=True)
class GridSymmetries:
    """Symmetries of the board that are symmetries of the game."""

    images: tuple[Image, ...] = attrs.field(converter=_images)
    """The symmetries but for the identity; with it they form a group."""
    state: Callable[[State, Image], State]
    """Returns the image of a state, with `Image.moved` for each word of cells."""
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


@attrs.frozen(kw_only=True)
class GridPositions:
    """Positions as text in the manner of FEN: `xx3/5/5/3oo x`."""

    grid: Grid
    """The board."""
    pieces: str
    """The letters of the pieces, such as `xo`."""
    board: Callable[[State], str]
    """Returns the letter of each cell of a state, from a1 on; `.` if the cell is empty."""
    side_to_move: Callable[[State], int]
    """Returns the side to move in a state: 0 or 1."""
    state: Callable[[str, int], State]
    """Returns the state with these cells, as `board` writes them, and this side to move.

    Raises GameforgeError if the position is impossible.
    """
    sides: str = ""
    """The letters of the two sides; "": the first two pieces."""

    def position_text(self, state: State) -> str:
        """Return the position as text."""
        board, width = self.board(state), self.grid.columns
        rows = [board[begin : begin + width] for begin in range(0, self.grid.size, width)]
        packed = (re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in reversed(rows))
        return f"{'/'.join(packed)} {self._sides[self.side_to_move(state)]}"

    def parse_position(self, text: str) -> State:
        """Return the state that a text describes; GameforgeError if it describes none."""
        packed, _, side = text.strip().partition(" ")
        rows = [re.sub(r"\d+", lambda number: "." * min(int(number[0]), 99), row) for row in packed.split("/")]
        lengths = {len(row) for row in rows}
        if len(rows) != self.grid.rows or lengths != {self.grid.columns}:
            raise GameforgeError(
                f"position {text!r}: must be {self.grid.rows} rows of {self.grid.columns} cells, separated by '/'"
            )
        board = "".join(reversed(rows))
        wrong = sorted(set(board) - {*self.pieces, "."})
        if wrong:
            raise GameforgeError(f"position {text!r}: {wrong[0]!r} is not a piece; the pieces are {self.pieces}")
        if side not in {*self._sides}:
            raise GameforgeError(
                f"position {text!r}: the side to move is {side!r}; must be {' or '.join(self._sides)} after the board"
            )
        return self.state(board, self._sides.index(side))

    @property
    def _sides(self) -> str:
        return self.sides or self.pieces[:2]


@attrs.frozen
class MoveTexts:
    """Moves as text, given the function that writes a move; a text is read by comparing it with the legal moves."""

    text: Callable[[int], str]
    """Writes a move, such as a2-a3; the texts of the legal moves of a position differ."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return the text of a move."""
        return self.text(move)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move with this text, whatever its case; GameforgeError if there is none."""
        for move in legal:
            if self.text(move).lower() == text.strip().lower():
                return move
        raise GameforgeError(f"no legal move {text!r}; legal: {', '.join(map(self.text, legal)) or 'none'}")


_CELL, _MARGIN, _RADIUS = 48, 24, 18
_BOARD, _LINE, _TEXT = "#e8d9b8", "#6b5836", "#2f2a25"
_COLOURS = ("#2b2b2b", "#fafafa", "#c0392b", "#2e6da4")


def _no_caption(state: State) -> str:
    return ""


@attrs.frozen(kw_only=True)
class GridDrawing(Drawing):
    """Draws the board with the names of rows and columns."""

    grid: Grid
    """The board."""
    board: Callable[[State], str]
    """Returns the letter of each cell of a state, from a1 on; `.` if the cell is empty."""
    colours: Mapping[str, str] = attrs.field(factory=dict)
    """The colour of each letter in pictures; other letters, in alphabetical order, are black, white, red and blue."""
    caption: Callable[[State], str] = _no_caption
    """Returns a line below the board, such as the side to move."""

    def diagram(self, state: State) -> str:
        """Draw the board for a terminal, with row 1 at the bottom."""
        board, width, margin = self.board(state), self.grid.columns, len(str(self.grid.rows))
        rows = [board[begin : begin + width] for begin in range(0, self.grid.size, width)]
        lines = [f"{row + 1:{margin}} {' '.join(rows[row])}" for row in reversed(range(self.grid.rows))]
        lines.append(" " * (margin + 1) + " ".join(self.grid.letters))
        return "\n".join([*lines, *filter(None, [self.caption(state)])])

    def svg(self, state: State) -> str:
        """Draw the board as a stand-alone SVG document."""
        grid, board, caption = self.grid, self.board(state), html.escape(self.caption(state))
        across, down = grid.columns * _CELL, grid.rows * _CELL
        width, height = across + 2 * _MARGIN, down + (3 if caption else 2) * _MARGIN
        lines = "".join(f"M{_MARGIN} {_MARGIN + i * _CELL}h{across}" for i in range(grid.rows + 1))
        lines += "".join(f"M{_MARGIN + i * _CELL} {_MARGIN}v{down}" for i in range(grid.columns + 1))
        parts = [
            f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{across}" height="{down}" fill="{_BOARD}"/>',
            f'<path d="{lines}" stroke="{_LINE}"/>',
        ]
        for row in range(grid.rows):
            parts.append(_text(_MARGIN // 2, _middle(grid.rows - 1 - row) + 5, str(row + 1)))
        for column, letter in enumerate(grid.letters):
            parts.append(_text(_middle(column), down + _MARGIN + 17, letter))
        colours = dict(zip(sorted({*board} - {".", *self.colours}), _COLOURS, strict=False)) | dict(self.colours)
        for (row, column), letter in zip(grid.places, board, strict=True):
            if letter != ".":
                x, y = _middle(column), _middle(grid.rows - 1 - row)
                fill = html.escape(colours.get(letter, "#888888"))
                parts.append(f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="{fill}" stroke="{_LINE}"/>')
        if caption:
            parts.append(_text(width // 2, height - 8, caption))
        return svg_document(width, height, parts)


def _middle(i: int) -> int:
    return _MARGIN + i * _CELL + _CELL // 2


def _text(x: int, y: int, text: str) -> str:
    return svg_text(x, y, text, _TEXT, anchor="middle")


def svg_document(width: int, height: int, parts: Iterable[str]) -> str:
    """Return a stand-alone SVG document of this size, in pixels, with each part on a line of its own."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    return "\n".join([head, *parts, "</svg>"])


def svg_text(x: int, y: int, text: str, colour: str, *, size: int = 13, anchor: str = "") -> str:
    """Return a line of text, `size` pixels high, with its baseline at y.

    anchor: which point of the text is at x: its `start`, which is the default, or its `middle`.
    """
    where = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}"{where} fill="{colour}">{text}</text>'
