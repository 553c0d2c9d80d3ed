"""Write Chinook's format: the codes of a slice, the lines of the index, and the order and default values of the slices.

The order and the default values are rules that reproduce DB6.idx as the University of Alberta published it (900,418
bytes; its checksum is in manifest.py): they give all of its 3,935 records. Slices are ordered by number of pieces, then
by the division of the pieces (most even first), then by kings and ranks, descending. Each slice is followed by the same
slice with colours swapped.
"""

from collections.abc import Iterator

import attrs
import numpy as np
from gameforge_retrograde.indexer import ByteArray

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import UNKNOWN, IntegerArray, kernel
from gameforge_egdb_chinook.chinook_files import SYMBOLS
from gameforge_egdb_chinook.codes import BLOCK, LENGTHS, LITERAL, encode
from gameforge_egdb_chinook.slices import RANKS, Material

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
