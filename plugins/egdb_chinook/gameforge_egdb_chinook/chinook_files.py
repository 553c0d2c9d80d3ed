"""Reader of Chinook's database files: a data file and its index, such as db4 and db4.idx.

The index is text, one record a slice (specification, section 1.5): `BASE1100.00 =` names the slice
(kings, men, ranks) and its default value; a doubled symbol means that every stored position has that value,
and nothing follows. Otherwise `S <index> <block>/<byte>` says where the codes begin, `. <index> <block>`
which position each further block begins with, and `E <index> <block>/<byte>` where they end.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.kernel.abi import DRAW, LOSS, WIN
from gameforge_egdb_chinook.codes import BLOCK, LITERAL, decode
from gameforge_egdb_chinook.slices import positions, slices

SYMBOLS = {"=": DRAW, "+": WIN, "-": LOSS}
_BASE = re.compile(r"BASE(\d{4}\.\d\d) (?:([=+-])(\2)?)")
_NUMBER = r"(\d{1,12})"
_START = re.compile(rf"S *0 +{_NUMBER}/{_NUMBER}")
_BLOCK = re.compile(rf"\. *{_NUMBER} +{_NUMBER}")
_END = re.compile(rf"E *{_NUMBER} +{_NUMBER}/{_NUMBER}")


@attrs.frozen
class Part:
    """The codes of one slice in one block."""

    position: int
    """Position of the slice at which they begin."""
    start: int
    end: int
    """Bytes of the data file."""


@attrs.frozen
class Record:
    """What the index says of a slice."""

    name: str
    default: int
    parts: tuple[Part, ...]
    """Empty if every stored position has the default value."""
    coded: int
    """Number of coded positions: those of the slice, rounded up to a multiple of five."""

    @property
    def pieces(self) -> int:
        return sum(map(int, self.name[:4]))


@attrs.frozen
class ChinookFiles:
    """A data file in memory and its index; everything in the index fits together and into the data."""

    index_path: Path
    data_path: Path
    records: tuple[Record, ...]
    data: NDArray[np.uint8]
    digest: bytes
    """SHA-256 of both files."""

    @property
    def pieces(self) -> int:
        """The largest number of pieces that the index mentions."""
        return max(record.pieces for record in self.records)

    def values(self, pieces: int) -> NDArray[np.uint8]:
        """Values of all positions with up to `pieces` pieces, in the order of slices.py.

        Where either side could capture, they mean nothing (section 1.6). Raises GameforgeError if
        a slice is missing or its codes do not hold as many positions as it has.
        """
        records = {record.name: record for record in self.records}
        values = np.empty(positions(pieces), np.uint8)
        for s in slices(pieces):
            if s.name not in records:
                raise GameforgeError(f"{self.index_path}: the slice BASE{s.name} is missing")
            self._decode(records[s.name], values[s.start : s.start + s.size])
        return values

    def _decode(self, record: Record, values: NDArray[np.uint8]) -> None:
        if not record.parts:
            values[:] = record.default
            return
        coded = -(-len(values) // LITERAL) * LITERAL
        if record.coded != coded:
            raise GameforgeError(
                f"{self.index_path}: the slice BASE{record.name} ends at {record.coded}, it must end at {coded}"
            )
        ends = [part.position for part in record.parts[1:]] + [coded]
        for part, end in zip(record.parts, ends, strict=True):
            reached = decode(self.data, part.start, part.end, record.default, values, part.position)
            if reached != end:
                raise GameforgeError(
                    f"{self.data_path}: the codes of the slice BASE{record.name} in block {part.start // BLOCK} end at "
                    f"position {reached}, {self.index_path.name} says {end}: one of the two files was altered"
                )


def find(path: Path) -> tuple[Path, Path]:
    """(index, data) of the database at `path`, a folder or an index file; letter case does not matter."""
    if not path.exists():
        raise GameforgeError(f"{path}: no such file or folder")
    folder = path if path.is_dir() else path.parent
    try:
        files = {file.name.lower(): file for file in sorted(folder.iterdir()) if file.is_file()}
    except OSError as error:
        raise GameforgeError(f"{folder}: cannot be read ({error.strerror})") from error
    if not path.is_dir() and path.suffix.lower() != ".idx":
        raise GameforgeError(f"{path}: not an index file such as db4.idx, and not a folder that holds one")
    indexes = [file for name, file in files.items() if name.endswith(".idx")] if path.is_dir() else [path]
    pairs = [(index, files[index.stem.lower()]) for index in indexes if index.stem.lower() in files]
    if len(pairs) == 1:
        return pairs[0]
    if pairs:
        names = ", ".join(index.name for index, _ in pairs)
        raise GameforgeError(f"{path}: holds several databases ({names}); name one of these files")
    if indexes:
        raise GameforgeError(f"{indexes[0]}: its data file {indexes[0].stem!r} is missing")
    raise GameforgeError(f"{path}: holds no Chinook database, that is a pair such as db4 and db4.idx")


def read(path: Path) -> ChinookFiles:
    """Read the database at `path` (see `find`); raises GameforgeError if the files are not as they must be."""
    index_path, data_path = find(path)
    try:
        index, data = index_path.read_bytes(), data_path.read_bytes()
    except OSError as error:
        raise GameforgeError(f"{error.filename}: cannot be read ({error.strerror})") from error
    records = parse_index(index, index_path)
    needed = max((record.parts[-1].end for record in records if record.parts), default=0)
    if len(data) < needed:
        raise GameforgeError(
            f"{data_path}: truncated, it has {len(data):,} bytes where {index_path.name} needs {needed:,}"
        )
    digest = hashlib.sha256(hashlib.sha256(index).digest() + hashlib.sha256(data).digest()).digest()
    return ChinookFiles(index_path, data_path, tuple(records), np.frombuffer(data, np.uint8), digest)


def parse_index(content: bytes, path: Path) -> list[Record]:
    """The records of an index file. Raises GameforgeError that names the line which is wrong."""
    text = content.decode("ascii", errors="replace")
    if not text.endswith("\n"):
        raise GameforgeError(f"{path}: truncated, its last line has no end" if text else f"{path}: empty")
    lines = enumerate(text.split("\n")[:-1], 1)
    records: dict[str, Record] = {}
    end = 0
    for number, line in lines:
        base = _BASE.fullmatch(line)
        if base is None:
            raise _wrong(path, number, line, "a slice such as 'BASE1100.00 ='")
        name, symbol, is_whole = base.groups()
        if name in records:
            raise GameforgeError(f"{path}: line {number}: the slice BASE{name} stands there twice")
        parts: Sequence[Part] = ()
        coded = 0
        if not is_whole:
            parts, coded = _parse_parts(lines, path, end)
            end = parts[-1].end
        records[name] = Record(name, SYMBOLS[symbol], tuple(parts), coded)
    return list(records.values())


def _parse_parts(lines: Iterator[tuple[int, str]], path: Path, expected: int) -> tuple[list[Part], int]:
    """The S, '.' and E lines of a slice whose codes begin at byte `expected`: (parts, coded positions)."""
    number, line = next(lines, (0, ""))
    start = _START.fullmatch(line)
    where = f"{expected // BLOCK}/{expected % BLOCK}"
    if start is None or int(start[1]) * BLOCK + int(start[2]) != expected:
        raise _wrong(path, number, line, f"the start of the slice at {where}")
    parts: list[Part] = []
    position, byte = 0, expected
    for number, line in lines:
        if line.startswith("E"):
            end = _END.fullmatch(line)
            stop = int(end[2]) * BLOCK + int(end[3]) if end else 0
            if end is None or int(end[1]) < position or stop < byte or stop // BLOCK != byte // BLOCK:
                raise _wrong(path, number, line, f"an end of the slice in block {byte // BLOCK}")
            parts.append(Part(position, byte, stop))
            return parts, int(end[1])
        block = _BLOCK.fullmatch(line)
        following = (byte // BLOCK + 1) * BLOCK
        if block is None or int(block[2]) * BLOCK != following or int(block[1]) <= position:
            raise _wrong(path, number, line, f"the first position of block {following // BLOCK}, or the slice's end")
        parts.append(Part(position, byte, following))
        position, byte = int(block[1]), following
    raise GameforgeError(f"{path}: truncated, its last slice has no end")


def _wrong(path: Path, number: int, line: str, wanted: str) -> GameforgeError:
    if number == 0:
        return GameforgeError(f"{path}: truncated, its last slice has no codes")
    return GameforgeError(f"{path}: line {number} is {line[:40]!r}, expected {wanted}")
