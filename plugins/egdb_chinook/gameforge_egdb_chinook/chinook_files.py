"""Read Chinook's database files: data files and their indexes, such as db4 and db4.idx.

The index is text, with one record per slice. `BASE1100.00 =` names the slice (kings, men, ranks) and its default
value. A doubled symbol means that every stored position has that value; then the record ends here. Otherwise
`S <index> <block>/<byte>` says where the codes begin, `. <index> <block>` which position each further block begins
with, and `E <index> <block>/<byte>` where the codes end.

Databases of 7 and 8 pieces come as several such pairs (DB7.0 and DB7.0.idx, ...). All pairs in a folder form one
database, unless two of them hold the same slice. Data files are mapped into memory, not read.
"""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.kernel.abi import DRAW, LOSS, WIN
from gameforge_egdb_chinook.codes import BLOCK

SYMBOLS = {"=": DRAW, "+": WIN, "-": LOSS}
_BASE = re.compile(r"BASE(\d{4}\.\d\d) (?:([=+-])(\2)?)")
_NUMBER = r"(\d{1,12})"
_START = re.compile(rf"S *0 +{_NUMBER}/{_NUMBER}")
_BLOCK = re.compile(rf"\. *{_NUMBER} +{_NUMBER}")
_END = re.compile(rf"E *{_NUMBER} +{_NUMBER}/{_NUMBER}")


@attrs.frozen
class Record:
    """The index record of a slice."""

    name: str
    default: int
    start: int
    end: int
    """The codes are bytes `start` to `end` of the data file; both are 0 if every stored position has the default."""
    positions: tuple[int, ...]
    """First position in each block that the codes touch; begins with 0, and is empty if there are no codes."""
    coded: int
    """Number of coded positions: the size of the slice, rounded up to a multiple of five."""

    @property
    def pieces(self) -> int:
        return sum(map(int, self.name[:4]))

    @property
    def parts(self) -> list[tuple[int, int, int]]:
        """(first position, first byte, end byte) of the codes in each block."""
        first_block = self.start // BLOCK
        starts = [max(self.start, (first_block + i) * BLOCK) for i in range(len(self.positions))]
        return list(zip(self.positions, starts, [*starts[1:], self.end], strict=True))


@attrs.frozen
class DataFile:
    """A data file, mapped into memory, and its index, which is consistent and fits the size of the data."""

    index_path: Path
    data_path: Path
    records: tuple[Record, ...]
    data: NDArray[np.uint8]

    @property
    def size(self) -> int:
        """Number of bytes of codes; bytes after them are padding."""
        return max(record.end for record in self.records)


def find(path: Path) -> list[tuple[Path, Path]]:
    """The (index, data) pairs of the database at `path`, a folder or an index file.

    The case of file names does not matter. Raises GameforgeError if there is no complete pair.
    """
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
    if pairs:
        return pairs
    if indexes:
        raise GameforgeError(f"{indexes[0]}: its data file {indexes[0].stem!r} is missing")
    raise GameforgeError(f"{path}: holds no Chinook database, which is a pair of files such as db4 and db4.idx")


def read(path: Path) -> list[DataFile]:
    """Read the database at `path` (see `find`). Raises GameforgeError if it is damaged or ambiguous."""
    found = [_read_pair(index, data) for index, data in find(path)]
    seen: dict[str, DataFile] = {}
    for file in found:
        for record in file.records:
            other = seen.setdefault(record.name, file)
            if other is not file:
                names = ", ".join(f.index_path.name for f in found)
                raise GameforgeError(
                    f"{path}: holds several databases ({names}); name one of these files (the slice BASE{record.name} "
                    f"is in {other.index_path.name} and in {file.index_path.name})"
                )
    return found


def _read_pair(index_path: Path, data_path: Path) -> DataFile:
    try:
        records = parse_index(index_path.read_bytes(), index_path)
        with data_path.open("rb") as file:
            size = data_path.stat().st_size
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except OSError as error:
        raise GameforgeError(f"{error.filename}: cannot be read ({error.strerror})") from error
    found = DataFile(index_path, data_path, tuple(records), np.frombuffer(content, np.uint8))
    if size < found.size:
        raise GameforgeError(
            f"{data_path}: truncated, it has {size:,} bytes; by {index_path.name} it must have {found.size:,}"
        )
    return found


def parse_index(content: bytes, path: Path) -> list[Record]:
    """Parse the content of an index file. Raises a GameforgeError that names the first wrong line."""
    text = content.decode("ascii", errors="replace")
    if not text.endswith("\n"):
        raise GameforgeError(f"{path}: truncated, its last line is incomplete" if text else f"{path}: empty")
    lines = enumerate(text.split("\n")[:-1], 1)
    records: dict[str, Record] = {}
    end = 0
    for number, line in lines:
        base = _BASE.fullmatch(line)
        if base is None:
            raise _wrong(path, number, line, "a slice such as 'BASE1100.00 ='")
        name, symbol, is_whole = base.groups()
        if name in records:
            raise GameforgeError(f"{path}: line {number}: the slice BASE{name} is listed twice")
        if is_whole:
            records[name] = Record(name, SYMBOLS[symbol], 0, 0, (), 0)
        else:
            records[name] = record = _parse_codes(lines, path, name, SYMBOLS[symbol], end)
            end = record.end
    return list(records.values())


def _parse_codes(lines: Iterator[tuple[int, str]], path: Path, name: str, default: int, expected: int) -> Record:
    """Parse the S, '.' and E lines of a slice whose codes must begin at byte `expected`."""
    number, line = next(lines, (0, ""))
    start = _START.fullmatch(line)
    where = f"{expected // BLOCK}/{expected % BLOCK}"
    if start is None or int(start[1]) * BLOCK + int(start[2]) != expected:
        raise _wrong(path, number, line, f"the start of the slice at {where}")
    positions = [0]
    byte = expected
    for number, line in lines:
        if line.startswith("E"):
            end = _END.fullmatch(line)
            stop = int(end[2]) * BLOCK + int(end[3]) if end else 0
            if end is None or int(end[1]) < positions[-1] or stop < byte or stop // BLOCK != byte // BLOCK:
                raise _wrong(path, number, line, f"an end of the slice in block {byte // BLOCK}")
            return Record(name, default, expected, stop, tuple(positions), int(end[1]))
        block = _BLOCK.fullmatch(line)
        byte = (byte // BLOCK + 1) * BLOCK
        if block is None or int(block[2]) * BLOCK != byte or int(block[1]) <= positions[-1]:
            raise _wrong(path, number, line, f"the first position of block {byte // BLOCK}, or the slice's end")
        positions.append(int(block[1]))
    raise GameforgeError(f"{path}: truncated, its last slice has no end")


def _wrong(path: Path, number: int, line: str, wanted: str) -> GameforgeError:
    if number == 0:
        return GameforgeError(f"{path}: truncated, its last slice has no codes")
    return GameforgeError(f"{path}: line {number} is {line[:40]!r}, expected {wanted}")
