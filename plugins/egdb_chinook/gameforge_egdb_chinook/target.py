"""The database that a build shall produce: its format, slices and file names, and what the build costs."""

import contextlib
from math import comb
from pathlib import Path

import attrs
from gameforge_retrograde.solver import packed_places

from gameforge import GameforgeError
from gameforge.storage import files
from gameforge_egdb_chinook.slices import MAX_PIECES, Material, Slice, materials, slices_of
from gameforge_egdb_chinook.units import DraughtsUnits

FORMATS = {"chinook": "wld", "dtw": "dtw", "mtc": "mtc"}
"""Formats and their metrics."""
MOST_PIECES = {"chinook": MAX_PIECES, "dtw": 5, "mtc": 6}
_PROCESS = 250_000_000
"""Bytes taken by Python, numba and compiled code."""
_BYTES_PER_POSITION = {"chinook": 1.2, "dtw": 4, "mtc": 4}
"""Memory of the units being solved: states, values and codes, and for distances also plies, counts and due plies."""
_SECONDS = {"chinook": 150e-9, "dtw": 350e-9, "mtc": 350e-9}
"""Seconds per position of one thread, on the machine of docs/results."""


def closure(material: Material) -> set[Material]:
    """All materials that play from this one can reach, either side to move, in which both sides have a piece."""
    found: set[Material] = set()
    waiting = [material]
    while waiting:
        bk, wk, bm, wm = counts = waiting.pop()
        if counts in found or not bk + bm or not wk + wm:
            continue
        found.add(counts)
        waiting.append((wk, bk, wm, bm))
        waiting += [
            (bk - a, wk - b, bm - c, wm - d)
            for a, b, c, d in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (-1, 0, 1, 0), (0, -1, 0, 1))
            if bk >= a and wk >= b and bm >= c and wm >= d
        ]
    return found


@attrs.frozen(kw_only=True)
class Target:
    """A database to be built, and the paths of its files."""

    format: str
    pieces: int
    """Maximum number of pieces."""
    material: Material | None
    """Build only the slices that this material leads to; None: all slices."""
    folder: Path

    @property
    def metric(self) -> str:
        return FORMATS[self.format]

    @property
    def name(self) -> str:
        """Name of the database: that of its data file without the suffix."""
        start = {"chinook": "DB", "dtw": "dtw", "mtc": "mtc"}[self.format] + str(self.pieces)
        return start if self.material is None else start + "-" + "".join(map(str, self.material))

    @property
    def data_path(self) -> Path:
        return self.folder / (self.name if self.format == "chinook" else self.name + ".egdb")

    @property
    def index_path(self) -> Path:
        return self.folder / (self.name + ".idx")

    @property
    def manifest_path(self) -> Path:
        return self.folder / (self.name + ".json")

    @property
    def build_folder(self) -> Path:
        return self.folder / (self.name + ".build")

    @property
    def log_path(self) -> Path:
        return self.folder / (self.name + ".log")

    def slices(self) -> tuple[Slice, ...]:
        """The slices to be built, in solving order."""
        return slices_of(materials(self.pieces) if self.material is None else closure(self.material))


def target(format: str, pieces: int, material: str | None, folder: Path) -> Target:
    """Check the parameters of a build. Raises GameforgeError if there is no such database.

    `material` is four digits: the numbers of black kings, white kings, black men and white men.
    """
    if format not in FORMATS:
        raise GameforgeError(f"unknown format {format!r}, allowed: {', '.join(FORMATS)}")
    most = MOST_PIECES[format]
    if not 2 <= pieces <= most:
        raise GameforgeError(f"pieces = {pieces}: must be from 2 to {most} for the format {format}")
    if material is None:
        return Target(format=format, pieces=pieces, material=None, folder=folder)
    if format != "chinook":
        raise GameforgeError(f"material needs the format chinook; {format} always holds all materials")
    counts = [int(digit) for digit in material if digit in "01234567"]
    if (
        len(material) != 4
        or len(counts) != 4
        or sum(counts) != pieces
        or not (counts[0] + counts[2]) * (counts[1] + counts[3])
    ):
        raise GameforgeError(
            f"material {material!r} must be four digits that add up to {pieces}: black kings, white kings, "
            "black men, white men, such as 4300; both sides need a piece"
        )
    bk, wk, bm, wm = counts
    return Target(format=format, pieces=pieces, material=(bk, wk, bm, wm), folder=folder)


@attrs.frozen
class Cost:
    """The cost of a build: upper bounds in bytes, and an estimated time on the machine of docs/results."""

    positions: int
    units: int
    largest_unit: int
    store: int
    """Size of the values of solved units, which are mapped from a file."""
    memory: int
    disk: int
    seconds: float


def cost(wanted: Target, workers: int, slices: tuple[Slice, ...]) -> Cost:
    """Estimate the cost of a whole build with this number of workers."""
    units = DraughtsUnits(slices)
    levels = [sorted((sum(units.sizes[n] for n in unit) for unit in level), reverse=True) for level in units.levels]
    positions = sum(units.sizes)
    packed = packed_places(units.sizes)[-1] // 4
    store = {"chinook": packed, "dtw": positions, "mtc": packed + positions}[wanted.format]
    at_once = max(sum(sizes[:workers]) for sizes in levels)
    by_turns = sum(max(sum(sizes) / workers, sizes[0]) for sizes in levels)  # a unit is solved by one thread
    king_boards = 8 * sum(comb(32, k) for k in range(1 + max(s.black_kings for s in slices)))
    codes = positions // 25 if wanted.format == "chinook" else 0
    return Cost(
        positions=positions,
        units=sum(map(len, levels)),
        largest_unit=max(sizes[0] for sizes in levels),
        store=store,
        memory=round(_PROCESS + king_boards + store + at_once * _BYTES_PER_POSITION[wanted.format]),
        disk=store + 2 * codes,
        seconds=by_turns * _SECONDS[wanted.format],
    )


def require_room(wanted: Target, workers: int, capacity: int | None) -> None:
    """Raise GameforgeError if the build does not fit on the disk or into memory; an interrupted one has part of it."""
    slices = wanted.slices()
    needs, single = cost(wanted, workers, slices), cost(wanted, 1, slices)
    what = f"building {wanted.name}"
    there = 0
    with contextlib.suppress(OSError):  # also of a file that another process has just removed
        for path in wanted.build_folder.iterdir():
            there += path.stat().st_size
    files.require_disk(wanted.folder, needs.disk - there, what)
    memory = needs.memory
    if capacity is not None:
        most = single.memory + (capacity - single.largest_unit) * _BYTES_PER_POSITION[wanted.format]
        memory = min(memory, round(most))
    files.require_memory(memory - needs.store, what)  # the store is mapped from a file


def capacity(wanted: Target, most: int, slices: tuple[Slice, ...]) -> int:
    """Number of positions that can be solved at once within `most` bytes.

    Raises GameforgeError if the largest unit alone needs more.
    """
    single = cost(wanted, 1, slices)
    per_position = _BYTES_PER_POSITION[wanted.format]
    free = most - (single.memory - single.largest_unit * per_position)
    if free < single.largest_unit * per_position:
        raise GameforgeError(
            f"max_memory is too small: a build in which the largest unit, of {single.largest_unit:,} positions, is "
            f"solved alone needs {files.size_text(single.memory)}"
        )
    return int(free / per_position)
