"""Databases of distances that GameForge builds (FORMAT.md, metrics dtw and mtc): reader, probe functions and bytes.

They hold one byte per position, including positions with pending captures, so a probe is a single lookup. The file
is mapped into memory.
"""

import mmap
import struct
from pathlib import Path

import attrs
import numpy as np
from gameforge_draughts.movegen import BOARD
from gameforge_retrograde.indexer import ByteArray
from gameforge_retrograde.kernels import value_of

from gameforge import GameforgeError
from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import U0, U1, UNKNOWN, Word, WordArray, Words, inline, kernel, slots
from gameforge.storage import stored
from gameforge_egdb_chinook import manifest
from gameforge_egdb_chinook.codes import bytes_at, keep_with
from gameforge_egdb_chinook.indexing import state_index
from gameforge_egdb_chinook.probe import has_lost_all, may_be_covered
from gameforge_egdb_chinook.slices import VALUES, positions, tables

_63 = np.uint64(63)


MAGIC = b"GFEGDIST"
HEADER_BYTES = 4096
"""Size of the header of a file of distances."""
_VERSION = 1
_HEADER = struct.Struct("<8sIIQ8s16s")


def header(pieces: int, positions: int, metric: str) -> bytes:
    """Return the fields at the beginning of a file of distances; zeros follow up to HEADER_BYTES."""
    return _HEADER.pack(MAGIC, _VERSION, pieces, positions, metric.encode(), b"draughts")


_VALUES = np.uint64(VALUES)
_FIRST_LOSS = np.uint64(128)
"""Smallest byte of a loss in the metric mtc."""


@attrs.frozen
class DistanceFile:
    """A file of distances, mapped into memory, and its manifest."""

    path: Path
    manifest: manifest.Manifest
    data: ByteArray

    @property
    def pieces(self) -> int:
        return self.manifest.pieces


def read(path: Path) -> DistanceFile:
    """Read the database of distances with this manifest. Raises GameforgeError if it is damaged or of another kind."""
    found = manifest.read(path)
    if found.metric == "wld":
        raise GameforgeError(f"{path}: describes values in Chinook's format, not distances; name its index file")
    manifest.check(found)
    data_path = path.with_name(found.files[0].name)
    try:
        with stored.open_file(data_path) as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise GameforgeError(f"{data_path}: cannot be read ({error})") from error
    count = positions(found.pieces)
    expected = header(found.pieces, count, found.metric)
    if len(content) < HEADER_BYTES + count or content[: len(expected)] != expected:
        raise GameforgeError(f"{data_path}: not the file of {found.pieces} pieces that {path.name} describes")
    return DistanceFile(data_path, found, np.frombuffer(content, np.uint8))


def distance_block(file: DistanceFile, pieces: int) -> WordArray:
    """The block `od`: the tables of slices.py, with the address of the first distance byte in the word VALUES."""
    block = tables(pieces).copy()
    block[VALUES] = file.data.ctypes.data + HEADER_BYTES
    keep_with(block, file.data)
    return block


@inline
def _byte(od: Words, s: Words) -> Word:
    index = state_index(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)
    return np.uint64(bytes_at(od[_VALUES])[index])


@inline
def _outside(od: Words, s: Words, out: Words) -> np.int64:
    """Value of a state that has no byte, with its distance: lost without pieces, or unknown."""
    lost = has_lost_all(od, s)
    out[slots.PROBE_DISTANCE] = U1 if lost else U0
    return np.int64(LOSS) if lost else np.int64(UNKNOWN)


def probe_dtw(od: Words, s: Words, out: Words) -> np.int64:
    """Value for the side to move; writes out[PROBE_DISTANCE] = 1 + plies to the end, 0 for a draw or unknown."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    if not may_be_covered(od, s):
        return _outside(od, s, out)
    byte = _byte(od, s)
    out[slots.PROBE_DISTANCE] = byte
    return value_of(byte)


def probe_mtc(od: Words, s: Words, out: Words) -> np.int64:
    """Value for the side to move; writes out[PROBE_DISTANCE] = 1 + plies to the next capture or man's move.

    The distance is 0 for a draw or unknown.
    """
    out[slots.PROBE_DISTANCE], out[slots.PROBE_CONVERSION] = U0, U1
    if not may_be_covered(od, s):
        return _outside(od, s, out)
    byte = _byte(od, s)
    if byte == U0:
        return np.int64(DRAW)
    lost = byte >= _FIRST_LOSS
    out[slots.PROBE_DISTANCE] = U1 + byte - _FIRST_LOSS if lost else U1 + byte
    return np.int64(LOSS) if lost else np.int64(WIN)


MOST_MTC = 127
"""Maximum number of plies that a byte of the metric mtc can hold beside the outcome."""


@kernel
def longest_distance(plies: ByteArray, values: ByteArray, value: int) -> tuple[int, int]:
    """(plies, position) of the longest distance among positions with this value, the first if several are equal.

    `plies` are distance bytes (0: draw, else 1 + plies). (-1, -1) if no position has the value.
    """
    most, where = -1, -1
    for i in range(plies.size):
        if values[i] == value and plies[i] > most + 1:
            most, where = plies[i] - 1, i
    return most, where


@kernel
def to_mtc(plies: ByteArray, values: ByteArray) -> None:
    """Convert distance bytes (0: draw, else 1 + plies) to those of the metric mtc, in place."""
    for i in range(plies.size):
        if values[i] == WIN:
            plies[i] = min(plies[i] - 1, MOST_MTC)
        elif values[i] == LOSS:
            plies[i] = MOST_MTC + 1 + min(plies[i] - 1, MOST_MTC)
        else:
            plies[i] = 0
