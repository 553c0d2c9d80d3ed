"""The board drawn: as text for a terminal, as an SVG picture, and as the board that people click on.

White is at the bottom, and the dark squares have their numbers. On the clickable board a capture is entered square by
square. All kinds of draughts are drawn by `DraughtsDrawing`.
"""

from collections.abc import Callable, Sequence

import attrs

from gameforge.grid import svg_document, svg_text
from gameforge.interfaces import Board, Piece, State
from gameforge_draughts.cells import CELLS
from gameforge_draughts.movegen import SIDES, pieces, state_of, to_move
from gameforge_draughts.notation import path, position_text

_SYMBOLS = {("Black", ""): "●", ("White", ""): "○", ("Black", Board.KING): "♚", ("White", Board.KING): "♔"}
"""Black is filled, White outlined; a crown is a king. (A dark terminal shows both inverted.)"""
_LIGHT_SQUARE = "░░░░░"

_SQUARE = 48
_MARGIN = 6
_CAPTION = 22
_TEXT = "#f6f3e6"
_FILL, _EDGE, _GROOVE = ("#fbf8ef", "#2b2b2b"), ("#55524a", "#000000"), ("#b9b3a3", "#6a6a6a")
"""Colours of White's pieces and of Black's."""
_CROWN = "M-10 8 L-12 -6 L-5 0 L0 -9 L5 0 L12 -6 L10 8 Z"


@attrs.frozen(kw_only=True)
class DraughtsDrawing:
    """The capability `drawing` of a kind of draughts."""

    board: Board
    sides: tuple[str, str]
    """"White" and "Black", the first mover before the other."""
    side_to_move: Callable[[State], int]
    position_text: Callable[[State], str]
    light: str
    """Colour behind the squares, which the light ones show."""
    dark: str
    frame: str
    bright: str = ""
    """Colour of every other square on a board whose pieces stand on all squares."""

    @property
    def _size(self) -> int:
        """Number of rows, and of columns."""
        return 1 + max(int(row) for row, _ in self.board.places)

    def diagram(self, state: State, flipped: bool = False) -> str:
        """Draw the board, five characters a square, followed by the side to move and a legend."""
        placed = {piece.cell: _SYMBOLS[self.sides[piece.side], piece.kind] for piece in self.board.pieces(state)}
        lines = [[_LIGHT_SQUARE] * self._size for _ in range(self._size)]
        for square, name in enumerate(self.board.names):
            row, column = self._place(square, flipped)
            lines[row][column] = f" {placed.get(square, ' ')}{name:>2} "
        legend = "  ".join(f"{symbol} {side}{' king' * bool(kind)}" for (side, kind), symbol in _SYMBOLS.items())
        return "\n".join([*map("".join, lines), f"{self.sides[self.side_to_move(state)]} to move    {legend}"])

    def svg(self, state: State, flipped: bool = False) -> str:
        """Draw the board as a stand-alone SVG document."""
        side = self._size * _SQUARE
        width, height = side + 2 * _MARGIN, side + 2 * _MARGIN + _CAPTION
        placed = {piece.cell: piece for piece in self.board.pieces(state)}
        caption = f"{self.sides[self.side_to_move(state)]} to move"
        parts = [
            f"<title>{caption}, {self.position_text(state)}</title>",
            f'<rect width="{width}" height="{height}" fill="{self.frame}"/>',
            f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" fill="{self.light}"/>',
            svg_text(_MARGIN, height - 9, caption, _TEXT),
        ]
        for square, name in enumerate(self.board.names):
            x, y = self._corner(square, flipped)
            fill = self.bright if self.bright and sum(self.board.places[square]) % 2 == 0 else self.dark
            parts.append(f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{fill}"/>')
            parts.append(svg_text(x + 2, y + 9, name, _TEXT, size=9))
            if square in placed:
                piece = placed[square]
                middle = x + _SQUARE // 2 + 1, y + _SQUARE // 2 + 3
                parts.append(_svg_piece(*middle, self.sides[piece.side] == "Black", piece.kind == Board.KING))
        return svg_document(width, height, parts)

    def route(self, state: State, move: int, flipped: bool = False) -> list[tuple[float, float]]:
        """Return the middles of the squares that a move touches."""
        corners = (self._corner(square, flipped) for square in self.board.path(state, move))
        return [(x + _SQUARE / 2, y + _SQUARE / 2) for x, y in corners]

    def _place(self, square: int, flipped: bool) -> tuple[int, int]:
        """Return the row and the column in which a square is drawn."""
        row, column = map(int, self.board.places[square])
        last = self._size - 1
        return (last - row, last - column) if flipped else (row, column)

    def _corner(self, square: int, flipped: bool) -> tuple[int, int]:
        """Return the upper left corner of a square."""
        row, column = self._place(square, flipped)
        return _MARGIN + _SQUARE * column, _MARGIN + _SQUARE * row


def _svg_piece(x: int, y: int, is_black: bool, is_king: bool) -> str:
    """Return a disc around a point, with a groove for a man and a crown in the other colour for a king."""
    man = f'<circle r="12" fill="none" stroke="{_GROOVE[is_black]}" stroke-width="1.5"/>'
    crown = f'<path d="{_CROWN}" fill="{_FILL[not is_black]}"/>'
    disc = f'<circle r="17" fill="{_FILL[is_black]}" stroke="{_EDGE[is_black]}" stroke-width="1.5"/>'
    return f'<g transform="translate({x} {y})">{disc}{crown if is_king else man}</g>'


def _pieces(state: State) -> list[Piece]:
    return [Piece(square - 1, side, Board.KING if king else "") for square, (side, king) in pieces(state).items()]


def _path(state: State, move: int) -> list[int]:
    return [square - 1 for square in path(move)]


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    return state_of(turn, {piece.cell + 1: (piece.side, piece.kind == Board.KING) for piece in placed})


BOARD_VIEW = Board(
    places=CELLS.places,
    names=CELLS.names,
    pieces=_pieces,
    path=_path,
    chequered=True,
    colours=("#312e2b", "#f8f5ec"),
    ground="#7d945d",
    kinds=("", Board.KING),
    arrange=_arrange,
)
DRAWING = DraughtsDrawing(
    board=BOARD_VIEW,
    sides=SIDES,
    side_to_move=to_move,
    position_text=position_text,
    light="#f0e3c8",
    dark="#84966a",
    frame="#46463c",
)
