"""Write databases in Chinook's format, to test the reader without the official files."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from gameforge_egdb_chinook import solving
from gameforge_egdb_chinook.chinook_files import SYMBOLS, parse_index
from gameforge_egdb_chinook.codes import BLOCK, LENGTHS, LITERAL, encode
from gameforge_egdb_chinook.slices import slices
from gameforge_egdb_chinook.units import DraughtsUnits
from gameforge_retrograde.indexer import Unit
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import UNKNOWN

Bytes = NDArray[np.uint8]


@attrs.frozen
class Style:
    """How an index file pads its numbers."""

    start: str
    block: str
    end: str


DB4 = Style("S%7d%8d/%d", ".%7d%8d", "E%7d%8d/%d")
DB6 = Style("S%7d%8d/%d", ".%d%8d", "E%d%8d/%d")

Layout = Sequence[tuple[str, int]]
"""Slices in file order, each with its default value."""


def gathered(units: DraughtsUnits, unit: Unit, values: Bytes) -> Bytes:
    """A unit's bytes out of those of all positions, which are in the order of slices.py."""
    chosen = [units.slices[number] for number in unit]
    return np.concatenate([values[s.start : s.start + s.size] for s in chosen])


def quiet_values(values: Bytes, pieces: int) -> Bytes:
    """The same values, UNKNOWN where either side could capture."""
    quiet = values.copy()
    units = DraughtsUnits(slices(pieces))
    game = units.game_block(units.starts)
    for unit in (unit for level in units.levels for unit in level):
        found = gathered(units, unit, values)
        solving.forget_captures(game, units.unit_block(unit), found)
        units.scatter(unit, found, quiet)
    return quiet


def official_layout(index: Path, pieces: int) -> list[tuple[str, int]]:
    """Order and defaults of the slices with up to `pieces` pieces in a real index file."""
    return [(r.name, r.default) for r in parse_index(index.read_bytes(), index) if r.pieces <= pieces]


def majority_layout(quiet: Bytes, pieces: int) -> list[tuple[str, int]]:
    """Slices in solving order; the default of each is the most frequent value of its quiet positions."""
    layout = []
    for s in slices(pieces):
        counts = np.bincount(quiet[s.start : s.start + s.size], minlength=4)
        layout.append((s.name, max((DRAW, WIN, LOSS), key=lambda value: counts[value])))
    return layout


def first_positions(codes: Bytes) -> NDArray[np.int64]:
    """The first position of each code."""
    return np.cumsum(LENGTHS[codes], dtype=np.int64) - LENGTHS[codes]


def encoded(quiet: Bytes, pieces: int, layout: Layout, style: Style) -> tuple[bytes, bytes]:
    """The contents of the data file and of the index file."""
    data = b""
    lines = []
    symbols = {value: symbol for symbol, value in SYMBOLS.items()}
    by_name = {s.name: s for s in slices(pieces)}
    for name, default in layout:
        s = by_name[name]
        values = quiet[s.start : s.start + s.size]
        if len(set(np.unique(values).tolist()) - {UNKNOWN}) < 2:
            lines.append(f"BASE{name} {2 * symbols[default]}")
            continue
        stored = np.where(values == UNKNOWN, np.uint8(default), values)
        codes = np.zeros(len(stored) // LITERAL + 1, np.uint8)
        n = encode(stored, default, codes)
        positions = first_positions(codes[:n])
        end = len(data) + n
        coded = -(-len(stored) // LITERAL) * LITERAL
        lines += [f"BASE{name} {symbols[default]}", style.start % (0, *divmod(len(data), BLOCK))]
        for block in range(len(data) // BLOCK + 1, end // BLOCK + 1):
            at = block * BLOCK - len(data)
            lines.append(style.block % (positions[at] if at < n else coded, block))
        lines.append(style.end % (coded, *divmod(end, BLOCK)))
        data += codes[:n].tobytes()
    return data, ("\n".join(lines) + "\n").encode("ascii")
