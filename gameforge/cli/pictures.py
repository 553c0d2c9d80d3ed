"""SVG pictures of boards as PNG files, which matplotlib draws.

Matplotlib is imported only when a picture is drawn.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from gameforge.errors import GameforgeError
from gameforge.play.plotting import figure_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Outline


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
