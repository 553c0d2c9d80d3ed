"""The board drawn: as text for a terminal, as an SVG picture, and as the board that people click on.

White is at the bottom, and the squares have their names. On the clickable board a capture is entered square by square.
"""

import functools
from collections.abc import Sequence

import attrs
from gameforge_draughts.drawing import svg_piece

from gameforge.grid import svg_document, svg_text
from gameforge.interfaces import KING, Board, Piece, State
from gameforge_draughts_family.board import BLACK, COLOURS, WHITE, board_of, pieces, squares_of, state_of, to_move
from gameforge_draughts_family.notation import FamilyPositions
from gameforge_draughts_family.routes import path
from gameforge_draughts_family.variant import Variant

SYMBOLS = {(BLACK, False): "●", (WHITE, False): "○", (BLACK, True): "♚", (WHITE, True): "♔"}
"""Black is filled, White outlined; a crown is a king. (A dark terminal shows both inverted.)"""
_LIGHT_SQUARE = "░░░░░"

_SQUARE = 48
_MARGIN = 6
_CAPTION = 22
_LIGHT, _DARK, _FRAME, _TEXT = "#efe2cb", "#9a7653", "#4a4038", "#f6f3e6"


@attrs.frozen
class FamilyDrawing:
    """The capability `drawing` of the rules."""

    variant: Variant

    def diagram(self, state: State, flipped: bool = False) -> str:
        """Draw the board, five characters a square, followed by the side to move and a legend."""
        squares = squares_of(self.variant)
        board = squares.board
        placed = pieces(board, state)
        lines = []
        for row in range(board.size):
            line = ""
            for column in range(board.size):
                square = board.square_at.get(self._turned((row, column), flipped))
                if square is None:
                    line += _LIGHT_SQUARE
                else:
                    line += f" {SYMBOLS[placed[square]] if square in placed else ' '}{squares.names[square]:>2} "
            lines.append(line)
        legend = "  ".join(f"{symbol} {COLOURS[colour]}{' king' * king}" for (colour, king), symbol in SYMBOLS.items())
        return "\n".join([*lines, f"{COLOURS[to_move(state)]} to move    {legend}"])

    def svg(self, state: State, flipped: bool = False) -> str:
        """Draw the board as a stand-alone SVG document."""
        squares = squares_of(self.variant)
        board = squares.board
        side = board.size * _SQUARE
        width, height = side + 2 * _MARGIN, side + 2 * _MARGIN + _CAPTION
        placed = pieces(board, state)
        caption = f"{COLOURS[to_move(state)]} to move"
        parts = [
            f"<title>{caption}, {FamilyPositions(self.variant).position_text(state)}</title>",
            f'<rect width="{width}" height="{height}" fill="{_FRAME}"/>',
            f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" fill="{_LIGHT}"/>',
            svg_text(_MARGIN, height - 9, caption, _TEXT),
        ]
        for square, (row, column) in enumerate(board.places):
            x, y = self._corner(square, flipped)
            dark = len(board.places) < board.size**2 or (row + column) % 2
            fill = _DARK if dark else "#b28d68"
            parts.append(f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{fill}"/>')
            parts.append(svg_text(x + 2, y + 9, squares.names[square], _TEXT, size=9))
            if square in placed:
                colour, is_king = placed[square]
                middle = x + _SQUARE // 2 + 1, y + _SQUARE // 2 + 3
                parts.append(svg_piece(*middle, is_black=colour == BLACK, is_king=is_king))
        return svg_document(width, height, parts)

    def route(self, state: State, move: int, flipped: bool = False) -> list[tuple[float, float]]:
        """Return the middles of the squares that a move touches."""
        corners = (self._corner(square, flipped) for square in path(self.variant, state, move))
        return [(x + _SQUARE / 2, y + _SQUARE / 2) for x, y in corners]

    def _turned(self, place: tuple[int, int], flipped: bool) -> tuple[int, int]:
        last = board_of(self.variant).size - 1
        return (last - place[0], last - place[1]) if flipped else place

    def _corner(self, square: int, flipped: bool) -> tuple[int, int]:
        """Return the upper left corner of a square."""
        row, column = self._turned(board_of(self.variant).places[square], flipped)
        return _MARGIN + _SQUARE * column, _MARGIN + _SQUARE * row


_COLOURS = {WHITE: "#f8f5ec", BLACK: "#312e2b"}


def side_of(variant: Variant, colour: int) -> int:
    """Return 0 for the colour that moves first, 1 for the other; and the colour of a side."""
    return colour ^ (variant.first == "black")


@functools.cache
def board_view(variant: Variant) -> Board:
    """Return the board of a variant for the browser."""
    squares = squares_of(variant)
    board = squares.board

    def listed(state: State) -> list[Piece]:
        placed = pieces(board, state).items()
        return [Piece(square, side_of(variant, colour), KING * king) for square, (colour, king) in placed]

    def clicks(state: State, move: int) -> Sequence[int]:
        return path(variant, state, move)

    def arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
        there = {piece.cell: (side_of(variant, piece.side), piece.kind == KING) for piece in placed}
        counters = state[3] if there == pieces(board, state) else 0
        return state_of(board, there, side_of(variant, turn), counters)

    first, second = (_COLOURS[side_of(variant, side)] for side in (0, 1))
    return Board(
        places=board.places,
        names=squares.names,
        pieces=listed,
        path=clicks,
        chequered=True,
        colours=(first, second),
        ground="#9a7653",
        kinds=("", KING),
        arrange=arrange,
    )
