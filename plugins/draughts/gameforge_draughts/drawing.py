"""The board drawn: as text for a terminal, as an SVG picture, and as the board that people click on.

White is at the bottom, and the dark squares have their numbers. On the clickable board a capture is entered square by
square. All kinds of draughts share the pictures of men and kings (`svg_piece`).
"""

from collections.abc import Sequence

from gameforge.grid import svg_document, svg_text
from gameforge.interfaces import KING, Board, Piece, State
from gameforge_draughts.board import BLACK, SIDES, WHITE, pieces, state_of, to_move
from gameforge_draughts.cells import CELLS
from gameforge_draughts.notation import path, position_text

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


def _pieces(state: State) -> list[Piece]:
    return [Piece(square - 1, side, KING if king else "") for square, (side, king) in pieces(state).items()]


def _path(state: State, move: int) -> list[int]:
    return [square - 1 for square in path(move)]


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    return state_of(turn, {piece.cell + 1: (piece.side, piece.kind == KING) for piece in placed})


BOARD_VIEW = Board(
    places=CELLS.places,
    names=CELLS.names,
    pieces=_pieces,
    path=_path,
    chequered=True,
    colours=("#312e2b", "#f8f5ec"),
    ground="#7d945d",
    kinds=("", KING),
    arrange=_arrange,
)


_FILL, _EDGE, _GROOVE = ("#fbf8ef", "#2b2b2b"), ("#55524a", "#000000"), ("#b9b3a3", "#6a6a6a")
"""Colours of White's pieces and of Black's."""
_CROWN = "M-10 8 L-12 -6 L-5 0 L0 -9 L5 0 L12 -6 L10 8 Z"


def svg_piece(x: int, y: int, *, is_black: bool, is_king: bool) -> str:
    """Return a disc around a point, with a groove for a man and a crown in the other colour for a king."""
    man = f'<circle r="12" fill="none" stroke="{_GROOVE[is_black]}" stroke-width="1.5"/>'
    crown = f'<path d="{_CROWN}" fill="{_FILL[not is_black]}"/>'
    disc = f'<circle r="17" fill="{_FILL[is_black]}" stroke="{_EDGE[is_black]}" stroke-width="1.5"/>'
    return f'<g transform="translate({x} {y})">{disc}{crown if is_king else man}</g>'
