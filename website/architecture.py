"""The picture of the core's packages, drawn from its imports: `python website/architecture.py`."""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from elsewhere import ROOT

PICTURE = ROOT / "docs" / "architecture.svg"
WIDTH, ROW, BOX = 760, 74, 40


def layers() -> list[list[str]]:
    """Return the layers of the core from the top, as pyproject.toml orders them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (found,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [layer.split(" | ") for layer in found if layer != "__main__"]


def imports() -> Mapping[str, frozenset[str]]:
    """Return which packages each package of the core imports, wherever in its modules."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted((ROOT / "gameforge").rglob("*.py")):
        package = file.relative_to(ROOT / "gameforge").parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found[package] |= {name.split(".")[1] for name in names if name.startswith("gameforge.")}
    return {package: frozenset(others - {package}) for package, others in found.items()}


def picture(rows: Sequence[Sequence[str]], uses: Mapping[str, frozenset[str]]) -> str:
    """Return the drawing: a box for each package, and a line to each package that it imports.

    A line is drawn only if no other path leads there, so that the picture stays readable.
    """
    places = {}
    for i, row in enumerate(rows):
        for j, name in enumerate(row):
            places[name] = (WIDTH * (2 * j + 1) / (2 * len(row)), 30 + ROW * i + BOX / 2)
    lines = [_line(places[above], places[below]) for above, below in _direct(places, uses)]
    boxes = [_box(name, *place) for name, place in places.items()]
    height = ROW * len(rows) + 30
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="16">\n<title>Packages of the core and what they import</title>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
        f'<g fill="none" stroke="#888">\n{chr(10).join(lines)}\n</g>\n'
        f'<g text-anchor="middle" stroke-width="1.5">\n{chr(10).join(boxes)}\n</g>\n</svg>\n'
    )


def _direct(places: Mapping[str, tuple[float, float]], uses: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    below = {name: {other for other in places if places[other][1] > places[name][1]} for name in places}
    known = {name: sorted(uses.get(name, frozenset()) & below[name]) for name in places}  # types may come from above

    def reached(name: str) -> set[str]:
        return {other for used in known[name] for other in {used} | reached(used)}

    for name, others in known.items():
        for other in others:
            if not any(other in reached(between) for between in others if between != other):
                yield name, other


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = start, end
    return f'<path d="M{x:.0f} {y + BOX / 2:.0f}L{to_x:.0f} {to_y - BOX / 2:.0f}"/>'


def _box(name: str, x: float, y: float) -> str:
    return (
        f'<rect x="{x - 70:.0f}" y="{y - BOX / 2:.0f}" width="140" height="{BOX}" rx="6" fill="#e0f2f1" '
        f'stroke="#00796b"/><text x="{x:.0f}" y="{y + 6:.0f}">{name}</text>'
    )


def drawn() -> str:
    """Return the picture of the core as it is."""
    return picture(layers(), imports())


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
