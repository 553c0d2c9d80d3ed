"""The board as text for a terminal and as an SVG picture: White at the bottom, with the names of the squares."""

import attrs

from gameforge.interfaces.rules import State
from gameforge_draughts_family.board import BLACK, COLOURS, WHITE, board_of, pieces, to_move
from gameforge_draughts_family.positions import FamilyPositions
from gameforge_draughts_family.routes import path
from gameforge_draughts_family.squares import squares_of
from gameforge_draughts_family.variant import Variant

SYMBOLS = {(BLACK, False): "●", (WHITE, False): "○", (BLACK, True): "♚", (WHITE, True): "♔"}
"""Black is filled, White outlined; a crown is a king. (A dark terminal shows both inverted.)"""
_LIGHT_SQUARE = "░░░░░"

_SQUARE = 48
_MARGIN = 6
_CAPTION = 22
_LIGHT, _DARK, _FRAME, _TEXT = "#efe2cb", "#9a7653", "#4a4038", "#f6f3e6"
_FILL = {BLACK: "#2b2b2b", WHITE: "#fbf8ef"}
_EDGE = {BLACK: "#000000", WHITE: "#55524a"}
_GROOVE = {BLACK: "#6a6a6a", WHITE: "#b9b3a3"}
_CROWN = "M-10 8 L-12 -6 L-5 0 L0 -9 L5 0 L12 -6 L10 8 Z"


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
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}">',
            f"<title>{caption}, {FamilyPositions(self.variant).position_text(state)}</title>",
            f'<rect width="{width}" height="{height}" fill="{_FRAME}"/>',
            f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" fill="{_LIGHT}"/>',
            _text(_MARGIN, height - 9, 13, caption),
        ]
        for square, (row, column) in enumerate(board.places):
            x, y = self._corner(square, flipped)
            dark = len(board.places) < board.size**2 or (row + column) % 2
            fill = _DARK if dark else "#b28d68"
            parts.append(f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{fill}"/>')
            parts.append(_text(x + 2, y + 9, 9, squares.names[square]))
            if square in placed:
                parts.append(_piece(x + _SQUARE // 2 + 1, y + _SQUARE // 2 + 3, *placed[square]))
        return "\n".join([*parts, "</svg>"])

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


def _text(x: int, y: int, size: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}" fill="{_TEXT}">{text}</text>'


def _piece(x: int, y: int, colour: int, is_king: bool) -> str:
    """Draw a disc, with a groove for a man and a crown in the other colour for a king."""
    man = f'<circle r="12" fill="none" stroke="{_GROOVE[colour]}" stroke-width="1.5"/>'
    crown = f'<path d="{_CROWN}" fill="{_FILL[1 - colour]}"/>'
    disc = f'<circle r="17" fill="{_FILL[colour]}" stroke="{_EDGE[colour]}" stroke-width="1.5"/>'
    return f'<g transform="translate({x} {y})">{disc}{crown if is_king else man}</g>'
