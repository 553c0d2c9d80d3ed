"""Groups of cells as patterns, and the families of patterns that share their weights.

Patterns are written by hand, generated from the places of the cells, or a set of the game's. Those that are images of
each other under the symmetries of the board are a family.
"""

import itertools
import re
from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import Cells, near

Pattern = tuple[int, ...]
Place = tuple[int, int]

GENERATORS = ("lines", "rectangles", "cells")
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
_RECTANGLE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)")
_LENGTH = re.compile(r"[1-9][0-9]?")


def lines(places: Sequence[Place], length: int) -> Iterator[Pattern]:
    """Return all straight lines of `length` adjacent cells: along rows, along columns, and both diagonals."""
    cell_at = {place: cell for cell, place in enumerate(places)}
    for down, right in _STEPS if length > 1 else _STEPS[:1]:
        for row, column in places:
            line = [(row + i * down, column + i * right) for i in range(length)]
            if all(place in cell_at for place in line):
                yield tuple(cell_at[place] for place in line)


def rectangles(places: Sequence[Place], height: int, width: int) -> Iterator[Pattern]:
    """Return the cells of all rectangles of `height` rows and `width` columns that fit between the outermost cells.

    A rectangle may hold places that are not cells; one without any cell is left out.
    """
    rows, columns = zip(*places, strict=True)
    for top in range(min(rows), max(rows) - height + 2):
        for left in range(min(columns), max(columns) - width + 2):
            inside = (
                cell
                for cell, (row, column) in enumerate(places)
                if 0 <= row - top < height and 0 <= column - left < width
            )
            if pattern := tuple(inside):
                yield pattern


def generated(places: Sequence[Place]) -> tuple[Pattern, ...]:
    """Return patterns for any board: rectangles of 2x4 and 4x2, lines of 4; single cells where none of these fits."""
    found = [*rectangles(places, 2, 4), *rectangles(places, 4, 2), *lines(places, 4)]
    return tuple(dict.fromkeys(found or lines(places, 1)))


def groups(text: str, cells: Cells) -> tuple[Pattern, ...]:
    """Return the patterns that a text names, without repetitions; raise GameforgeError if it means none.

    The text is a list of entries, separated by semicolons: `lines 4`, `rectangles 2x4 4x2`, `cells a1 b1 a2`, or the
    name of a set of the game's.
    """
    found = [pattern for entry in text.split(";") for pattern in _entry(entry, cells)]
    return tuple(dict.fromkeys(found))


def _entry(text: str, cells: Cells) -> Iterator[Pattern]:
    what, *rest = text.split() or [""]
    if what in cells.sets and not rest:
        yield from cells.sets[what].patterns
    elif what == "cells":
        yield _cells(rest, cells)
    elif what == "lines" and rest:
        for size in rest:
            if _LENGTH.fullmatch(size) is None:
                raise GameforgeError(f"patterns: {size!r} is not the length of a line, as in 'lines 4'")
            yield from _some(lines(cells.places, int(size)), f"line of {size} cells")
    elif what == "rectangles" and rest:
        for size in rest:
            match = _RECTANGLE.fullmatch(size)
            if match is None:
                raise GameforgeError(f"patterns: {size!r} is not rows x columns, as in 'rectangles 2x4'")
            yield from _some(rectangles(cells.places, int(match[1]), int(match[2])), f"rectangle of {size}")
    else:
        known = (*cells.sets, *GENERATORS)
        raise GameforgeError(
            f"patterns: {text.strip()!r} is not a set of the game's, 'lines 4', 'rectangles 2x4' or 'cells a1 b1'"
            f"{'' if what in GENERATORS else near(what, known)}; sets: {', '.join(cells.sets) or 'none'}"
        )


def _cells(names: Sequence[str], cells: Cells) -> Pattern:
    labels = cells.labels
    if not names:
        raise GameforgeError(
            f"patterns: 'cells' must be followed by the cells of a pattern, {labels[0]} to {labels[-1]}, "
            f"as in 'cells {' '.join(labels[:2])}'"
        )
    for name in names:
        if name not in labels:
            raise GameforgeError(
                f"patterns: {name!r} is not a cell of the board{near(name, labels)}; "
                f"its cells are {labels[0]} to {labels[-1]}"
            )
        if names.count(name) > 1:
            raise GameforgeError(f"patterns: the pattern {' '.join(names)} names the cell {name!r} twice")
    return tuple(labels.index(name) for name in names)


def _some(patterns: Iterator[Pattern], what: str) -> list[Pattern]:
    found = list(patterns)
    if not found:
        raise GameforgeError(f"patterns: the board has no {what}")
    return found


@attrs.frozen(eq=False)
class Family:
    """A pattern and its images, each with the cells in the order of the first."""

    members: tuple[Pattern, ...]
    turns: tuple[tuple[int, ...], ...]
    """Symmetries that map the first member onto itself: turns[k][i] is the position of the image of its i-th cell."""

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.members[0])

    def fold(self, states: int) -> NDArray[np.int32]:
        """Return the number of the weight of each configuration, for cells of `states` states each.

        A configuration is a number with a digit for each cell, the first cell's the lowest; images share a weight.
        """
        configurations = np.arange(states**self.size, dtype=np.int32)
        first = configurations
        for turn in self.turns:
            image, rest = np.zeros_like(configurations), configurations
            for position in turn:
                rest, digit = np.divmod(rest, states)
                image += (digit * states**position).astype(np.int32)
            first = np.minimum(first, image)
        return np.unique(first, return_inverse=True)[1].astype(np.int32) if self.turns else configurations


def families(patterns: Sequence[Pattern], images: Sequence[Sequence[int]]) -> tuple[Family, ...]:
    """Return the families of patterns. A pattern that has the cells of an earlier one, or of its image, is left out."""
    found: list[Family] = []
    seen: set[frozenset[int]] = set()
    for first in patterns:
        if frozenset(first) in seen:
            continue
        members: dict[frozenset[int], Pattern] = {}
        turns: set[tuple[int, ...]] = set()
        for image in itertools.chain([range(max(first) + 1)], images):
            turned = tuple(image[cell] for cell in first)
            if members.setdefault(frozenset(turned), turned) == first != turned:
                turns.add(tuple(first.index(cell) for cell in turned))
        seen.update(members)
        found.append(Family(tuple(members.values()), tuple(sorted(turns))))
    return tuple(found)
