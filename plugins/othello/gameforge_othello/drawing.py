"""The board drawn: as text for a terminal, as an SVG picture, and as the board that people click on.

Row 1 is on top, and columns and rows have their names. The clickable board shows the number of discs of either side.
"""

from collections.abc import Sequence

from gameforge.grid import svg_document, svg_text
from gameforge.interfaces import Board, Piece, State
from gameforge_othello.cells import CELLS
from gameforge_othello.movegen import BLACK, NAMES, PASS, SIDES, SQUARES, WHITE, discs, state_of, to_move
from gameforge_othello.notation import position_text

SYMBOLS = "●○"
"""Black is filled. (A dark terminal shows both inverted.)"""
_SQUARE, _MARGIN, _CAPTION = 48, 22, 22
_BOARD = 8 * _SQUARE
_WIDTH = _BOARD + 2 * _MARGIN
_HEIGHT = _WIDTH + _CAPTION
_CLOTH, _LINE, _FRAME, _TEXT = "#2e7d4f", "#173f28", "#2f2a25", "#f2ead8"
_DISCS = (("#1d1d1d", "#000000"), ("#f7f4ea", "#8d8877"))
"""Colours (fill, edge) of each side's discs."""


def diagram(state: State, flipped: bool = False) -> str:
    """Draw the board in ten lines, which `parse_position` reads; the last has the side to move and the disc counts."""
    black, white = discs(state)
    order = -1 if flipped else 1
    lines = ["  " + " ".join("abcdefgh"[::order])]
    for row in range(8)[::order]:
        bits = range(8 * row, 8 * row + 8)[::order]
        shown = (SYMBOLS[0] if black >> i & 1 else SYMBOLS[1] if white >> i & 1 else "·" for i in bits)
        lines.append(f"{row + 1} {' '.join(shown)}")
    side = to_move(state)
    counts = f"{SYMBOLS[0]} {black.bit_count()}, {SYMBOLS[1]} {white.bit_count()}"
    return "\n".join([*lines, f"{SIDES[side]} ({SYMBOLS[side]}) to move; {counts}"])


def svg(state: State, flipped: bool = False) -> str:
    """Draw the board as a stand-alone SVG document."""
    sides = discs(state)
    counts = " - ".join(str(side.bit_count()) for side in sides)
    caption = f"{SIDES[to_move(state)]} to move, {counts}"
    lines = "".join(
        f"M{_MARGIN + i * _SQUARE} {_MARGIN}v{_BOARD}M{_MARGIN} {_MARGIN + i * _SQUARE}h{_BOARD}" for i in range(9)
    )
    parts = [
        f"<title>{caption}, {position_text(state)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{_FRAME}"/>',
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{_BOARD}" height="{_BOARD}" fill="{_CLOTH}"/>',
        f'<path d="{lines}" stroke="{_LINE}" stroke-width="1.5"/>',
        _text(_MARGIN, _HEIGHT - 9, caption, "start"),
    ]
    for i in range(8):
        middle = _middle(i, flipped)
        parts.append(_text(middle, _MARGIN - 7, "abcdefgh"[i], "middle"))
        parts.append(_text(_MARGIN // 2, middle + 5, str(i + 1), "middle"))
    for word, (fill, edge) in zip(sides, _DISCS, strict=True):
        for i in range(64):
            if word >> i & 1:
                x, y = (_middle(place, flipped) for place in (i % 8, i // 8))
                parts.append(f'<circle cx="{x}" cy="{y}" r="19" fill="{fill}" stroke="{edge}"/>')
    return svg_document(_WIDTH, _HEIGHT, parts)


def route(state: State, move: int, flipped: bool = False) -> list[tuple[float, float]]:
    """Return the middle of the square of a move; nothing for a pass."""
    return [] if move == PASS else [(_middle(move % 8, flipped), _middle(move // 8, flipped))]


def _middle(place: int, flipped: bool) -> int:
    """Return the coordinate of the middle of a column or row."""
    return _MARGIN + _SQUARE * (7 - place if flipped else place) + _SQUARE // 2


def _text(x: int, y: int, text: str, anchor: str) -> str:
    return svg_text(x, y, text, _TEXT, anchor=anchor)


def _pieces(state: State) -> list[Piece]:
    return [Piece(i, side) for side, word in enumerate(discs(state)) for i in range(SQUARES) if word >> i & 1]


def _path(state: State, move: int) -> list[int]:
    return [] if move == PASS else [move]


def _note(state: State) -> tuple[str, str]:
    black, white = discs(state)
    return str(black.bit_count()), str(white.bit_count())


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    black, white = (sum(1 << piece.cell for piece in placed if piece.side == side) for side in (BLACK, WHITE))
    return state_of(black, white, turn)


BOARD_VIEW = Board(
    places=CELLS.places,
    names=NAMES,
    pieces=_pieces,
    path=_path,
    colours=("#23211f", "#f7f4ea"),
    ground="#3b7f58",
    note=_note,
    arrange=_arrange,
)
