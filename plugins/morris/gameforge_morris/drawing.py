"""The board drawn: as text for a terminal, as an SVG picture, and as the board that people click on.

Columns and rows have their names, and the men in hand are shown. On the clickable board one chooses a man, its new
point, and the man that a mill removes.
"""

from collections.abc import Sequence

import attrs

from gameforge.grid import svg_document, svg_text
from gameforge.interfaces import Board, Piece, State
from gameforge_morris.cells import CELLS
from gameforge_morris.movegen import BLACK, NAMES, POINTS, SIDES, WHITE, hands, men, state_of, to_move
from gameforge_morris.notation import parts, position_text

SYMBOLS = "○●"
"""White, Black. (A dark terminal shows both inverted.)"""
_LINES = """\
7 ·───────────·───────────·
  │           │           │
6 │   ·───────·───────·   │
  │   │       │       │   │
5 │   │   ·───·───·   │   │
  │   │   │       │   │   │
4 ·───·───·       ·───·───·
  │   │   │       │   │   │
3 │   │   ·───·───·   │   │
  │   │       │       │   │
2 │   ·───────·───────·   │
  │           │           │
1 ·───────────·───────────·
  a   b   c   d   e   f   g"""

_STEP, _MARGIN, _CAPTION = 54, 40, 24
_BOARD = 6 * _STEP
_WIDTH = _BOARD + 2 * _MARGIN
_HEIGHT = _WIDTH + _CAPTION
_WOOD, _LINE, _TEXT = "#e8d3a8", "#5a4630", "#3a2d1e"
_MEN = (("#fbf8ef", "#55524a"), ("#2b2b2b", "#000000"))
"""Colours (fill, edge) of each side's men."""


_FALLING, _RISING = "\u2572", "\u2571"
_SLANTED = {
    **dict.fromkeys(((1, 4), (3, 8), (9, 20), (11, 24)), _FALLING),
    **dict.fromkeys(((1, 24), (3, 20), (9, 8), (11, 4)), _RISING),
}
"""Diagonals: line and column of the text, and what stands there."""


def diagram(state: State, flipped: bool = False, diagonals: bool = False) -> str:
    """Draw the board in fourteen lines, followed by the side to move and the men in hand."""
    lines = [list(line) for line in _LINES.splitlines()]
    for (row, column), stroke in _SLANTED.items() if diagonals else ():
        lines[row][column] = stroke
    for symbol, word in zip(SYMBOLS, men(state), strict=True):
        for bit, name in enumerate(NAMES):
            if word >> bit & 1:
                lines[2 * (7 - int(name[1]))][2 + 4 * "abcdefg".index(name[0])] = symbol
    if flipped:
        names, board = [line[0] for line in lines[:-1]], [line[2:] for line in lines[:-1]]
        turned = [[name, " ", *row[::-1]] for name, row in zip(names[::-1], board[::-1], strict=True)]
        lines = [*turned, [" ", " ", *lines[-1][2:][::-1]]]
    side = to_move(state)
    in_hand = ", ".join(f"{symbol} {hand}" for symbol, hand in zip(SYMBOLS, hands(state), strict=True))
    last = f"{SIDES[side]} ({SYMBOLS[side]}) to move" + (f"; in hand: {in_hand}" if any(hands(state)) else "")
    return "\n".join(["".join(line) for line in lines] + [last])


def svg(state: State, flipped: bool = False, diagonals: bool = False) -> str:
    """Draw the board as a stand-alone SVG document."""
    caption = f"{SIDES[to_move(state)]} to move"
    if any(hands(state)):
        caption += ", in hand: " + ", ".join(f"{side} {n}" for side, n in zip(SIDES, hands(state), strict=True))
    parts = [
        f"<title>{caption}, {position_text(state)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{_WOOD}"/>',
        f'<path d="{_lines()}{_diagonals() if diagonals else ""}" fill="none" stroke="{_LINE}" stroke-width="2"/>',
        _text(_MARGIN // 2, _HEIGHT - 10, caption, "start"),
    ]
    for i in range(7):
        parts.append(_text(_MARGIN + i * _STEP, _WIDTH - 6, "abcdefg"[6 - i if flipped else i], "middle"))
        parts.append(_text(10, _MARGIN + i * _STEP + 5, str(i + 1 if flipped else 7 - i), "middle"))
    for word, (fill, edge) in zip(men(state), _MEN, strict=True):
        for bit, name in enumerate(NAMES):
            x, y = _place(name, flipped)
            if word >> bit & 1:
                parts.append(f'<circle cx="{x}" cy="{y}" r="17" fill="{fill}" stroke="{edge}" stroke-width="1.5"/>')
    return svg_document(_WIDTH, _HEIGHT, parts)


def route(state: State, move: int, flipped: bool = False) -> list[tuple[float, float]]:
    """Return the point on which a man is placed, or those between which it moves."""
    start, to, _ = parts(move)
    return [_place(NAMES[point], flipped) for point in (start, to) if point < POINTS]


def _place(name: str, flipped: bool) -> tuple[int, int]:
    column, row = "abcdefg".index(name[0]), 7 - int(name[1])
    if flipped:
        column, row = 6 - column, 6 - row
    return _MARGIN + _STEP * column, _MARGIN + _STEP * row


def _lines() -> str:
    """Return the path of the three rings and the four spokes between them."""
    rings = "".join(
        f"M{_MARGIN + i * _STEP} {_MARGIN + i * _STEP}h{length}v{length}h-{length}z"
        for i, length in enumerate((_BOARD, _BOARD - 2 * _STEP, _BOARD - 4 * _STEP))
    )
    middle, far = _MARGIN + 3 * _STEP, _MARGIN + 4 * _STEP
    spokes = "".join(
        f"M{x} {y}{way}{2 * _STEP}"
        for x, y, way in ((middle, _MARGIN, "v"), (middle, far, "v"), (_MARGIN, middle, "h"), (far, middle, "h"))
    )
    return rings + spokes


def _diagonals() -> str:
    """Return the path of the four diagonals, each from a corner of the outer ring to one of the inner ring."""
    near, far = _MARGIN, _MARGIN + _BOARD
    ways = ((near, near, 1, 1), (far, near, -1, 1), (far, far, -1, -1), (near, far, 1, -1))
    return "".join(f"M{x} {y}l{2 * _STEP * right} {2 * _STEP * down}" for x, y, right, down in ways)


def _text(x: int, y: int, text: str, anchor: str) -> str:
    return svg_text(x, y, text, _TEXT, anchor=anchor)


_RINGS = tuple((ring + i, ring + (i + 1) % 8) for ring in (0, 8, 16) for i in range(8))
_SPOKES = tuple((ring + i, ring + i + 8) for ring in (0, 8) for i in (1, 3, 5, 7))
_DIAGONALS = tuple((ring + i, ring + i + 8) for ring in (0, 8) for i in (0, 2, 4, 6))


def _pieces(state: State) -> list[Piece]:
    return [Piece(point, side) for side, word in enumerate(men(state)) for point in range(POINTS) if word >> point & 1]


def _path(state: State, move: int) -> list[int]:
    return [point for point in parts(move) if point < POINTS]


def _note(state: State) -> tuple[str, str]:
    white, black = (f"{n} in hand" if n else "" for n in hands(state))
    return white, black


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    white, black = (sum(1 << piece.cell for piece in placed if piece.side == side) for side in (WHITE, BLACK))
    in_hand = hands(state)
    left, alternating = sum(in_hand), state[2] >> 6 == 0
    return state_of(white, black, left, turn, 0 if alternating else in_hand[turn] - (left + 1) // 2)


BOARD_VIEW = Board(
    places=CELLS.places,
    names=NAMES,
    pieces=_pieces,
    path=_path,
    shape="point",
    upwards=True,
    lines=_RINGS + _SPOKES,
    ground="#d9bf8c",
    note=_note,
    arrange=_arrange,
)


def board_view(diagonals: bool) -> Board:
    """Return the board that people click on."""
    return attrs.evolve(BOARD_VIEW, lines=(*BOARD_VIEW.lines, *_DIAGONALS)) if diagonals else BOARD_VIEW


@attrs.frozen
class MorrisDrawing:
    """The capability `drawing` of the rules."""

    diagonals: bool

    def diagram(self, state: State, flipped: bool = False) -> str:
        """Return the board as text."""
        return diagram(state, flipped, self.diagonals)

    def svg(self, state: State, flipped: bool = False) -> str:
        """Return the board as an SVG document."""
        return svg(state, flipped, self.diagonals)

    def route(self, state: State, move: int, flipped: bool = False) -> list[tuple[float, float]]:
        """Return the points of the document that a move touches."""
        return route(state, move, flipped)
