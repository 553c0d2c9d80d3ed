"""Pictures of a position: from either side, with its last move and with arrows for other moves."""

import math
from collections.abc import Sequence

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import BoardDrawing
from gameforge.play.game import Move, Position

_LAST, _ARROW = "#d8a400", "#1f6fb2"
_WIDTH, _RING, _HEAD = 5, 21, 14
Point = tuple[float, float]


def picture(position: Position, *, flipped: bool = False, arrows: Sequence[Move] = ()) -> str:
    """Return the position as an SVG document, with its last move, if it is known, and arrows for moves.

    flipped: as the other side sees it. Raises GameforgeError if the game has no pictures, or none on which this can be
    drawn.
    """
    game = position.game
    marked = [(_ARROW, move) for move in arrows]
    if position.parent is not None and position.last_move is not None:
        marked.insert(0, (_LAST, Move(position.parent, position.last_move)))
    drawing = game.drawing
    plain = None if drawing is None else drawing.svg(position.state)
    if plain is None:
        raise GameforgeError(f"{game.rules.name} has no SVG pictures")
    if not isinstance(drawing, BoardDrawing):
        if flipped or arrows:
            raise GameforgeError(f"{game.rules.name} has no pictures that can be flipped or show moves")
        return plain
    routes = [(colour, drawing.route(move.position.state, move.code, flipped)) for colour, move in marked]
    lines = [line for colour, route in routes for line in _drawn(colour, route)]
    text = drawing.svg(position.state, flipped)
    return text.replace("</svg>", "\n".join([*lines, "</svg>"]))


def diagram(position: Position, *, flipped: bool = False) -> str:
    """Return the position as text for a terminal; flipped: as the other side sees it."""
    if not flipped:
        return str(position)
    drawing = position.game.drawing
    if not isinstance(drawing, BoardDrawing):
        raise GameforgeError(f"{position.game.rules.name} has no diagrams that can be flipped")
    return drawing.diagram(position.state, flipped)


def _drawn(colour: str, route: Sequence[Point]) -> list[str]:
    """Draw a move: a ring for one point, or else a line through all points with the head of an arrow."""
    if len(route) == 1:
        (x, y) = route[0]
        return [f'<circle cx="{x:g}" cy="{y:g}" r="{_RING}" fill="none" stroke="{colour}" stroke-width="{_WIDTH}"/>']
    if not route:
        return []
    (x0, y0), (x1, y1) = route[-2:]
    angle = math.atan2(y1 - y0, x1 - x0)
    base = (x1 - _HEAD * math.cos(angle), y1 - _HEAD * math.sin(angle))
    corners = [
        (base[0] + turn * _HEAD / 1.6 * math.sin(angle), base[1] - turn * _HEAD / 1.6 * math.cos(angle))
        for turn in (1, -1)
    ]
    line = " L".join(f"{x:.1f} {y:.1f}" for x, y in (*route[:-1], base))
    head = " L".join(f"{x:.1f} {y:.1f}" for x, y in ((x1, y1), *corners))
    return [
        f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="{_WIDTH}"/>',
        f'<path d="M{head} Z" fill="{colour}"/>',
    ]
