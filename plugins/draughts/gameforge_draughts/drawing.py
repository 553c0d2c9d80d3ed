"""The board as text for a terminal and as an SVG picture: White at the bottom, with the numbers of the dark squares."""

from gameforge.grid.svg import svg_document, svg_text
from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, SIDES, WHITE, pieces, to_move
from gameforge_draughts.notation import path
from gameforge_draughts.pieces import svg_piece
from gameforge_draughts.positions import position_text

SYMBOLS = {(BLACK, False): "●", (WHITE, False): "○", (BLACK, True): "♚", (WHITE, True): "♔"}
"""Black is filled, White outlined; a crown is a king. (A dark terminal shows both inverted.)"""
_LIGHT_SQUARE = "░░░░░"

_SQUARE = 48
_MARGIN = 6
_CAPTION = 22
_BOARD = 8 * _SQUARE
_WIDTH = _BOARD + 2 * _MARGIN
_HEIGHT = _WIDTH + _CAPTION
_LIGHT, _DARK, _FRAME, _TEXT = "#f0e3c8", "#84966a", "#46463c", "#f6f3e6"


def diagram(state: State, flipped: bool = False) -> str:
    """Draw the board in eight lines of 40 characters, followed by the side to move and a legend."""
    placed = pieces(state)
    lines = []
    for row in range(8):
        line = ""
        for place in range(4 * row + 1, 4 * row + 5):
            square = 33 - place if flipped else place
            dark = f" {SYMBOLS[placed[square]] if square in placed else ' '}{square:2} "
            line += dark + _LIGHT_SQUARE if row % 2 else _LIGHT_SQUARE + dark
        lines.append(line)
    legend = "  ".join(f"{symbol} {SIDES[side]}{' king' * king}" for (side, king), symbol in SYMBOLS.items())
    return "\n".join([*lines, f"{SIDES[to_move(state)]} to move    {legend}"])


def svg(state: State, flipped: bool = False) -> str:
    """Draw the board as a stand-alone SVG document."""
    placed = pieces(state)
    caption = f"{SIDES[to_move(state)]} to move"
    parts = [
        f"<title>{caption}, {position_text(state)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{_FRAME}"/>',
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{_BOARD}" height="{_BOARD}" fill="{_LIGHT}"/>',
        svg_text(_MARGIN, _HEIGHT - 9, caption, _TEXT),
    ]
    for square in range(1, 33):
        x, y = _corner(square, flipped)
        parts.append(f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{_DARK}"/>')
        parts.append(svg_text(x + 2, y + 9, str(square), _TEXT, size=9))
        if square in placed:
            side, is_king = placed[square]
            middle = x + _SQUARE // 2 + 1, y + _SQUARE // 2 + 3
            parts.append(svg_piece(*middle, is_black=side == BLACK, is_king=is_king))
    return svg_document(_WIDTH, _HEIGHT, parts)


def route(state: State, move: int, flipped: bool = False) -> list[tuple[float, float]]:
    """Return the middles of the squares that a move touches."""
    corners = (_corner(square, flipped) for square in path(move))
    return [(x + _SQUARE / 2, y + _SQUARE / 2) for x, y in corners]


def _corner(square: int, flipped: bool) -> tuple[int, int]:
    """Return the upper left corner of a square."""
    row, place = divmod((32 - square) if flipped else (square - 1), 4)
    return _MARGIN + _SQUARE * (2 * place + 1 - row % 2), _MARGIN + _SQUARE * row
