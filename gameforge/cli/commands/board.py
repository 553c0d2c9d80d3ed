"""`gameforge board` and `perft`: show a position, as text or as a picture, and count the moves that follow it.

SVG pictures become PNG files by matplotlib, which is imported only when one is drawn.
"""

import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from xml.etree import ElementTree

import typer

from gameforge.cli.options import AsJsonLines, Fen, Flipped, Force, game_help, require_new, require_suffix
from gameforge.cli.players import game_for
from gameforge.cli.terminal import compilation_notice
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import BoardDrawing
from gameforge.play.display import figure_file, require_matplotlib
from gameforge.play.game import Move, Position
from gameforge.play.perft import divide as by_first_move
from gameforge.play.perft import perft as count
from gameforge.storage.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Outline


def board(
    ctx: typer.Context,
    fen: Annotated[
        str | None, typer.Argument(help="Position, in the game's notation; default: the initial position.")
    ] = None,
    game: Annotated[str | None, typer.Option(help=game_help("position"))] = None,
    moves: Annotated[
        str | None,
        typer.Option(help="Moves to play from the position, separated by spaces; a picture shows the last one."),
    ] = None,
    arrow: Annotated[
        list[str] | None, typer.Option(metavar="MOVE", help="Legal move to draw as an arrow; may be repeated.")
    ] = None,
    flipped: Flipped = False,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture instead of text.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="File to write: a picture if its name ends in .svg or .png, else text.")
    ] = None,
    force: Force = False,
) -> None:
    """Show a position, as text in the terminal or as an SVG or PNG picture."""
    if out is not None and out.suffix:
        require_suffix("--out", out, "an SVG, PNG or text file", [".svg", ".png", ".txt"])
    kind = "" if out is None else out.suffix.lower()
    if svg and kind == ".png":
        raise GameforgeError(f"--svg: {out} is the name of a PNG file; omit --svg")
    if kind == ".png":
        require_matplotlib("a PNG picture")
    drawn = svg or kind in (".svg", ".png")
    if arrow and not drawn:
        raise GameforgeError("--arrow can be used only with a picture: --svg, or --out with a name in .svg or .png")
    if out is not None:
        require_new(out, force)
    position = game_for(ctx.obj.registry, game, fen).position(fen)
    for move in (moves or "").split():
        position = position.play(move)
    if drawn:
        shown = [Move(position, position.game.parse_move(position.state, text, position.codes)) for text in arrow or []]
        text = picture(position, flipped=flipped, arrows=shown)
    else:
        text = diagram(position, flipped=flipped)
        text += f"\nlast move: {moves.split()[-1]}" if moves and moves.split() else ""
    if out is None:
        print(text)
    else:
        write_atomically(out, png(text) if kind == ".png" else f"{text}\n".encode())


def perft(
    ctx: typer.Context,
    depth: Annotated[int, typer.Option(min=1, max=60, help="Depth in plies.")],
    game: Annotated[
        str | None,
        typer.Option(help="Name of the game, with parameters: NAME:key=value; needed if --fen does not imply it."),
    ] = None,
    fen: Fen = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="Print the count for each first move, at this depth only.")
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Count the sequences of exactly 1, 2, ... DEPTH legal moves. Captures by different paths are different moves."""
    position = game_for(ctx.obj.registry, game, fen).position(fen)
    with compilation_notice():
        count(position, 1)  # compile before the first time measurement
    if divide:
        total = 0
        for move, leaves in by_first_move(position, depth):
            total += leaves
            print(json.dumps({"move": str(move), "leaves": leaves}) if as_json else f"{move}: {leaves}")
        print(json.dumps({"depth": depth, "leaves": total}) if as_json else f"total: {total}")
        return
    for plies in range(1, depth + 1):
        began = time.perf_counter()
        leaves = count(position, plies)
        seconds = time.perf_counter() - began
        if as_json:
            print(json.dumps({"depth": plies, "leaves": leaves, "seconds": seconds}), flush=True)
        else:
            print(f"{plies:3} {leaves:>16,} {seconds:9.3f} s {leaves / seconds / 1e6:8.1f} M/s", flush=True)


_DPI = 144
_POINTS = 72 / 96
"""Points of a font or a line per pixel of the SVG document."""
_STEP = re.compile(r"([MLHVZmlhvz])|(-?[0-9.]+)")
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def png(svg: str) -> bytes:
    """Return an SVG document as a PNG file.

    Rectangles, circles, texts and paths of straight lines are drawn, in groups that are translated. Raises
    GameforgeError for anything else.
    """
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    figure = Figure(figsize=(width / 96, height / 96), dpi=_DPI)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    for element, x, y in _elements(root, 0.0, 0.0):
        _draw(axes, element, x, y)
    return figure_file(figure, ".png", _DPI)


def _elements(parent: ElementTree.Element, x: float, y: float) -> Iterator[tuple[ElementTree.Element, float, float]]:
    for element in parent:
        name = _name(element)
        if name == "g":
            moved = re.fullmatch(r"translate\(([-0-9.]+)[ ,]+([-0-9.]+)\)", element.get("transform", "translate(0 0)"))
            if moved is None:
                raise GameforgeError(f"cannot draw the transformation {element.get('transform')!r} as PNG; write SVG")
            yield from _elements(element, x + float(moved[1]), y + float(moved[2]))
        elif name != "title":
            yield element, x, y


def _draw(axes: "Axes", element: ElementTree.Element, x: float, y: float) -> None:
    from matplotlib.patches import Circle, PathPatch, Rectangle

    name, given = _name(element), element.attrib
    if name == "text":
        size = _number(given, "font-size") * _POINTS
        anchor = _ANCHORS[given.get("text-anchor", "start")]
        place = (x + _number(given, "x"), y + _number(given, "y"))
        axes.text(*place, element.text or "", fontsize=size, ha=anchor, va="baseline", color=given.get("fill", "black"))
        return
    stroke = given.get("stroke", "none")
    style: dict[str, Any] = {
        "facecolor": given.get("fill", "black"),
        "edgecolor": stroke,
        "linewidth": 0 if stroke == "none" else _number(given, "stroke-width", 1.0) * _POINTS,
    }
    if name == "rect":
        place = (x + _number(given, "x"), y + _number(given, "y"))
        axes.add_patch(Rectangle(place, _number(given, "width"), _number(given, "height"), **style))
    elif name == "circle":
        axes.add_patch(Circle((x + _number(given, "cx"), y + _number(given, "cy")), _number(given, "r"), **style))
    elif name == "path":
        axes.add_patch(PathPatch(_outline(given.get("d", ""), x, y), **style))
    else:
        raise GameforgeError(f"cannot draw <{name}> as PNG; write SVG")


def _outline(text: str, x: float, y: float) -> "Outline":
    """Return the outline that the steps of a path describe: M, L, H, V and Z, or the same in lower case (relative)."""
    from matplotlib.path import Path as Outline

    points: list[tuple[float, float]] = []
    codes: list[int] = []
    step, numbers = "", list[float]()
    here = start = (0.0, 0.0)
    for letter, number in _STEP.findall(text):
        if letter:
            step, numbers = letter, []
            if letter in "Zz":
                here = start
                points.append((x + start[0], y + start[1]))
                codes.append(int(Outline.CLOSEPOLY))
            continue
        numbers.append(float(number))
        if len(numbers) < (1 if step in "HVhv" else 2):
            continue
        base = here if step.islower() else (0.0, 0.0)
        kind = step.upper()
        here = (base[0] + numbers[0] if kind != "V" else here[0], base[1] + numbers[-1] if kind != "H" else here[1])
        start = here if kind == "M" else start
        points.append((x + here[0], y + here[1]))
        codes.append(int(Outline.MOVETO if kind == "M" else Outline.LINETO))
        step, numbers = ("L" if step == "M" else "l" if step == "m" else step), []
    return Outline(points, codes)


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _number(given: Mapping[str, str], key: str, default: float = 0.0) -> float:
    return float(given.get(key, default))


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
