"""Chinook's database files, such as db4 and its index db4.idx: read them, find out what they cover, and write them.

The index is text, with one record per slice. `BASE1100.00 =` names the slice (kings, men, ranks) and its default
value. A doubled symbol means that every stored position has that value; then the record ends here. Otherwise
`S <index> <block>/<byte>` says where the codes begin, `. <index> <block>` which position each further block begins
with, and `E <index> <block>/<byte>` where the codes end.

Databases of 7 and 8 pieces come as several such pairs (DB7.0 and DB7.0.idx, ...). All pairs in a folder form one
database, unless two of them hold the same slice. Data files are mapped into memory, not read.

Coverage is stated in whole materials: LS-Draughts, for example, uses all positions with up to 6 pieces, 4 against 3
and 4 against 4. If the files hold any material with 4 pieces against 3, they must hold all materials with 4 against
3 and with 3 against 4, or at least all of those without men: a king never becomes a man, so positions with kings only
need no others.

What is written has the order of slices and the default values of DB6.idx as the University of Alberta published it
(900,418 bytes; its checksum is in manifest.py): the rules for both give all of its 3,935 records. Slices are ordered by
number of pieces, then by the division of the pieces (most even first), then by kings and ranks, descending. Each slice
is followed by the same slice with colours swapped.
"""

import mmap
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import numpy as np
from gameforge_retrograde.indexer import ByteArray

from gameforge import GameforgeError
from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import UNKNOWN, IntegerArray, WordArray, kernel
from gameforge.storage import stored
from gameforge_egdb_chinook.codes import BLOCK, LENGTHS, LITERAL, coded_positions, encode
from gameforge_egdb_chinook.slices import MAX_PIECES, RANKS, Material, Slice, materials, slices_of

SYMBOLS = {"=": DRAW, "+": WIN, "-": LOSS}
_BASE_LINE = re.compile(r"BASE(\d{4}\.\d\d) (?:([=+-])(\2)?)")
_NUMBER = r"(\d{1,12})"
_MOST_INDEX = 1 << 28
"""Maximum size of an index file, in bytes."""
_START_LINE = re.compile(rf"S *0 +{_NUMBER}/{_NUMBER}")
_BLOCK_LINE = re.compile(rf"\. *{_NUMBER} +{_NUMBER}")
_END_LINE = re.compile(rf"E *{_NUMBER} +{_NUMBER}/{_NUMBER}")


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
    data: ByteArray

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
        records = parse_index(stored.read_file(index_path, _MOST_INDEX), index_path)
        with stored.open_file(data_path) as file:
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
        base = _BASE_LINE.fullmatch(line)
        if base is None:
            raise _wrong_line(path, number, line, "a slice such as 'BASE1100.00 ='")
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
    start = _START_LINE.fullmatch(line)
    where = f"{expected // BLOCK}/{expected % BLOCK}"
    if start is None or int(start[1]) * BLOCK + int(start[2]) != expected:
        raise _wrong_line(path, number, line, f"the start of the slice at {where}")
    positions = [0]
    byte = expected
    for number, line in lines:
        if line.startswith("E"):
            end = _END_LINE.fullmatch(line)
            stop = int(end[2]) * BLOCK + int(end[3]) if end else 0
            if end is None or int(end[1]) < positions[-1] or stop < byte or stop // BLOCK != byte // BLOCK:
                raise _wrong_line(path, number, line, f"an end of the slice in block {byte // BLOCK}")
            return Record(name, default, expected, stop, tuple(positions), int(end[1]))
        block = _BLOCK_LINE.fullmatch(line)
        byte = (byte // BLOCK + 1) * BLOCK
        if block is None or int(block[2]) * BLOCK != byte or int(block[1]) <= positions[-1]:
            raise _wrong_line(path, number, line, f"the first position of block {byte // BLOCK}, or the slice's end")
        positions.append(int(block[1]))
    raise GameforgeError(f"{path}: truncated, its last slice has no end")


def _wrong_line(path: Path, number: int, line: str, wanted: str) -> GameforgeError:
    if number == 0:
        return GameforgeError(f"{path}: truncated, its last slice has no codes")
    return GameforgeError(f"{path}: line {number} is {line[:40]!r}, expected {wanted}")


Division = tuple[int, int]
"""Number of pieces of Black and of White."""


def _division(material: Material) -> Division:
    bk, wk, bm, wm = material
    return bk + bm, wk + wm


def _required(present: Iterable[Material]) -> set[Material]:
    """These materials and those that must accompany them."""
    found = set(present)
    divisions = {_division(m) for m in found}
    divisions |= {(white, black) for black, white in divisions}
    required = set()
    for material in materials(max((sum(m) for m in found), default=0)):
        division = _division(material)
        if division in divisions:
            with_men = any(m[2] + m[3] for m in found if _division(m) in (division, division[::-1]))
            if with_men or material[2] + material[3] == 0:
                required.add(material)
    return required


def covered_slices(files: Sequence[DataFile], pieces: int | None = None) -> tuple[Slice, ...]:
    """The slices that the files hold, with up to `pieces` pieces, in solving order.

    Raises GameforgeError if a slice is missing or cannot exist, or if the files cover fewer pieces.
    """
    owners = {record.name: file.index_path for file in files for record in file.records}
    if not owners:
        raise GameforgeError(f"{files[0].index_path}: holds no slices")
    present = {(int(n[0]), int(n[1]), int(n[2]), int(n[3])) for n in owners}
    _check_names(present, owners)
    every = slices_of(_required(present))
    for s in every:
        if s.name not in owners:
            raise GameforgeError(f"{files[-1].index_path}: the slice BASE{s.name} is missing")
    known = {s.name for s in every}
    for file in files:
        for record in file.records:
            # DB6 lists slices that have no positions, such as 0150.00: five men do not fit on the first row.
            if record.name not in known and (record.positions or not set(record.name[5:]) <= set("0123456")):
                raise GameforgeError(f"{file.index_path}: there is no slice BASE{record.name}")
    most = max(s.pieces for s in every)
    if pieces is not None and pieces > most:
        raise GameforgeError(f"{files[-1].index_path} covers up to {most} pieces, not {pieces}")
    return slices_of(m for m in _required(present) if pieces is None or sum(m) <= pieces)


def _check_names(present: Iterable[Material], owners: Mapping[str, Path]) -> None:
    for material in present:
        black, white = _division(material)
        if not black or not white or black + white > MAX_PIECES:
            name = next(n for n in owners if n.startswith("".join(map(str, material))))
            raise GameforgeError(
                f"{owners[name]}: the slice BASE{name} has {black} pieces against {white}; "
                f"each side must have at least one, both together at most {MAX_PIECES}"
            )


def coverage_text(covered: Sequence[Slice]) -> str:
    """Describe the coverage in words: `positions with up to 6 pieces, 4 against 3, 4 against 4`."""
    with_men: dict[Division, bool] = {}
    for s in covered:
        black, white = _division(s.material)
        division = max(black, white), min(black, white)
        with_men[division] = with_men.get(division, False) or s.black_men + s.white_men > 0
    full = 1
    while full < MAX_PIECES and all(
        with_men.get((full + 1 - less, less), False) for less in range(1, (full + 1) // 2 + 1)
    ):
        full += 1
    words = [f"up to {full} pieces"] if full > 1 else []
    words += [
        f"{more} {'' if men else 'kings '}against {less}"
        for (more, less), men in sorted(with_men.items(), key=lambda item: (sum(item[0]), item[0]))
        if more + less > full
    ]
    return "positions with " + ", ".join(words)


def check_codes(file: DataFile, record: Record, size: int, table: WordArray) -> None:
    """Raise GameforgeError if the codes of a slice do not encode `size` positions."""
    if not record.positions:
        return
    coded = -(-size // LITERAL) * LITERAL
    if record.coded != coded:
        raise GameforgeError(
            f"{file.index_path}: the slice BASE{record.name} ends at position {record.coded}, it must end at {coded}"
        )
    ends = [*record.positions[1:], coded]
    for (first, start, stop), end in zip(record.parts, ends, strict=True):
        reached = first + int(coded_positions(table, file.data.ctypes.data, start, stop))
        if reached != end:
            raise GameforgeError(
                f"{file.data_path}: the codes of the slice BASE{record.name} in block {start // 1024} end at "
                f"position {reached}, by {file.index_path.name} they end at {end}: one of the two files was altered"
            )


_SYMBOL_OF = {value: symbol for symbol, value in SYMBOLS.items()}


def slice_codes(quiet: ByteArray, default: int) -> tuple[int, ByteArray | None]:
    """Encode a slice; returns its default value and its codes.

    `quiet` has one byte per position, UNKNOWN where either side could capture, and is overwritten. If all other
    values are equal, that value becomes the default and there are no codes (None).
    """
    counts = tally(quiet)
    present = [value for value in range(1, 4) if counts[value]]
    if len(present) < 2:
        return (present[0] if present else default), None
    # Values that are not stored take the default, which makes the runs long.
    quiet[quiet == UNKNOWN] = default
    codes = np.empty(len(quiet) // LITERAL + 1, np.uint8)
    n = encode(quiet, default, codes)
    return default, codes[:n].copy()


@kernel
def tally(values: ByteArray) -> IntegerArray:
    """Count how often each value 0..3 occurs; shape (4,)."""
    counts = np.zeros(4, np.int64)
    for i in range(values.size):
        counts[values[i]] += 1
    return counts


def index_record(name: str, default: int, codes: ByteArray | None, byte: int) -> str:
    """The index lines of a slice whose codes begin at `byte` of the data file, formatted as in DB6.idx."""
    symbol = _SYMBOL_OF[default]
    if codes is None:
        return f"BASE{name} {2 * symbol}\n"
    # A slice continues in the block in which the one before it ended.
    block, offset = divmod(byte, BLOCK)
    ends = np.cumsum(LENGTHS[codes], dtype=np.int64)
    # The index lists the first position of each further block, also of one that begins where the slice ends.
    positions = ends[BLOCK - offset - 1 :: BLOCK].tolist()
    lines = [f"BASE{name} {symbol}", f"S{0:7d}{block:8d}/{offset}"]
    lines += [f".{position}{number:8d}" for number, position in enumerate(positions, block + 1)]
    end_block, end_offset = divmod(byte + len(codes), BLOCK)
    lines.append(f"E{ends[-1]}{end_block:8d}/{end_offset}")
    return "\n".join(lines) + "\n"


_DRAWN_BY_DEFAULT = {
    (2, 0, 0, 2): "06",
    (0, 2, 2, 0): "60 50 40",
    (3, 1, 0, 2): "06 05",
    (1, 3, 2, 0): "60 50 40",
    (0, 3, 3, 0): "60",
    (2, 0, 1, 3): "66 56 46 36 26 16",
    (0, 2, 3, 1): "66 56 65 55 64 54 63 53 62 52 61 51 60",
}
"""Ranks of the slices whose default value is a draw although one side has more pieces, or more valuable ones."""
_BY_MATERIAL = {(2, 0, 0, 2): WIN, (0, 2, 2, 0): LOSS, (3, 0, 0, 3): WIN, (0, 3, 3, 0): LOSS}
_BY_MATERIAL |= {(3, 1, 0, 2): WIN, (1, 3, 2, 0): LOSS, (2, 0, 1, 3): WIN, (0, 2, 3, 1): LOSS}


@attrs.frozen
class Place:
    """A slice as the file lists it; some are empty because five or more men do not fit on rank 0."""

    material: Material
    black_rank: int
    white_rank: int

    @property
    def name(self) -> str:
        return "".join(map(str, self.material)) + f".{self.black_rank}{self.white_rank}"

    @property
    def default(self) -> int:
        """The value that the codes for runs stand for, and that replaces values that are not stored."""
        if f"{self.black_rank}{self.white_rank}" in _DRAWN_BY_DEFAULT.get(self.material, "").split():
            return DRAW
        if self.material in _BY_MATERIAL:
            return _BY_MATERIAL[self.material]
        bk, wk, bm, wm = self.material
        return DRAW if bk + bm == wk + wm else WIN if bk + bm > wk + wm else LOSS


def layout(pieces: int) -> Iterator[Place]:
    """The slices of a file with up to `pieces` pieces, in the order of the file; fewer pieces give a prefix."""
    seen = set()
    for material in material_order(pieces):
        bk, wk, bm, wm = material
        for black_rank in range(RANKS - 1, -1, -1) if bm else [0]:
            for white_rank in range(RANKS - 1, -1, -1) if wm else [0]:
                for place in (
                    Place(material, black_rank, white_rank),
                    Place((wk, bk, wm, bm), white_rank, black_rank),
                ):
                    if place not in seen:
                        seen.add(place)
                        yield place


def material_order(pieces: int) -> Iterator[Material]:
    """Materials in the order of the file; of two that differ only in colour, the first."""
    for n in range(2, pieces + 1):
        for black in range((n + 1) // 2, n):
            white = n - black
            for bk in range(black, -1, -1):
                for wk in range(white, -1, -1):
                    yield bk, wk, black - bk, white - wk
