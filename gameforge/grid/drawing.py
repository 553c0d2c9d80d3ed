"""The capability `drawing` of games on a grid: a diagram for terminals, and an SVG picture with round pieces.

`svg_document` and `svg_text` also serve pictures of other boards.
"""

import html
from collections.abc import Callable, Iterable, Mapping

import attrs

from gameforge.grid.board import Grid
from gameforge.interfaces.capabilities import Drawing
from gameforge.interfaces.rules import State

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
