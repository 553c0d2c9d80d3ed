"""The block `od` of Chinook's files, and the kernel function that looks up a quiet position in it.

The block begins with the tables of slices.py, in which the place of a slice is 1 + its number. They are followed by
the meaning of each code (codes.py), one row per slice, and the first position of each block of data. The data itself
stays where it is mapped.

A lookup finds the block that holds the position's code by binary search, then walks along the codes. To shorten the
walk, 21 marks per block are cached, one for every 48 bytes; they fill one cache line, where the 50,000 decoded values
would take many. With them a probe walks 24 codes on average. The lines are kept in a table of fixed size, which threads
share without locks: the first word of a line is the exclusive or of its other words and of the block's number, so a
line that two threads wrote at once is not taken for a valid one [Hyatt2002].
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from gameforge_retrograde.indexer import ByteArray

from gameforge.interfaces import Announce
from gameforge.kernel import U0, U1, U2, U3, UNKNOWN, Word, WordArray, Words, at, inline, kernel, popcount
from gameforge_egdb_chinook.chinook_files import DataFile, check_codes
from gameforge_egdb_chinook.codes import BLOCK, aligned_words, bytes_at, code_table, keep_with, unpack_codes, words_at
from gameforge_egdb_chinook.indexing import LOW_HALF, database_boards, place_and_index
from gameforge_egdb_chinook.slices import BINOMIALS, MATERIALS, Slice, table_block
from gameforge_egdb_chinook.solving import running_total

# Words of the head that slices.py leaves free.
CODES, ROWS, PART_POSITIONS = (np.uint64(n) for n in (5, 6, 7))
"""Offsets of the meaning of the codes (followed by EXTRA words), of the rows of the slices, and of the first positions
of the parts. A part is the section of a slice's codes that is in one block of data."""
assert int(PART_POSITIONS) < BINOMIALS
EXTRA = 8
_MARKS_ADDRESS, _MARKS_MASK, _EXPANDED, _UNIFORM = (np.uint64(256 + i) for i in range(4))
"""The EXTRA words after the 256 codes: the address of the table of marks, its number of lines less 1, and the addresses
of the expanded values and of the values of uniform lines, both 0 if the files are not expanded."""

ROW_WORDS = 8
DEFAULT, PARTS, FIRST_PART, ADDRESS, START, END, FIRST_VALUE = (np.uint64(n) for n in range(7))
"""Words of a slice's row: its default value; its number of parts (0 if all values are the default); the number of its
first part among those of all slices; the address of the block of data in which it begins, and the first byte there; the
end byte in its last block; the index of its first expanded value."""

STEP = 48
"""Bytes of codes between two marks. A mark has 21 bits because a block encodes at most 1024 * 1600 positions."""
LINE = 512
"""Expanded positions per line. In 71 % of DB6's lines all values are equal; that value is kept in a small table of its
own, so that reading it causes no cache miss."""
_LINE_BITS, _EVEN_BITS = np.uint64(9), np.uint64(0x5555555555555555)

_5, _6, _21, _31, _32, _42 = (np.uint64(n) for n in (5, 6, 21, 31, 32, 42))
_MATERIALS = np.uint64(MATERIALS)
_BLOCK, _STEP, _LINE_WORDS = np.uint64(BLOCK), np.uint64(STEP), np.uint64(8)
_MARK = np.uint64((1 << 21) - 1)


def file_block(
    files: Sequence[DataFile],
    covered: Sequence[Slice],
    marks_bytes: int,
    expand: bool,
    workers: int,
    announce: Announce,
) -> WordArray:
    """Make the block `od` for these slices.

    `marks_bytes` is the maximum size of the table of marks. With `expand`, all values are decoded, two bits each.
    Raises GameforgeError if the codes of a slice do not encode the number of its positions.
    """
    records = {record.name: (file, record) for file in files for record in file.records}
    table = table_block(covered, range(1, len(covered) + 1))
    rows = np.zeros((len(covered), ROW_WORDS), np.uint64)
    codes = code_table()
    positions: list[int] = []
    values = 0
    for row, s in zip(rows, covered, strict=True):
        file, record = records[s.name]
        check_codes(file, record, s.size, codes)
        first_block = record.start // BLOCK * BLOCK
        row[DEFAULT], row[PARTS], row[FIRST_PART] = record.default, len(record.positions), len(positions)
        row[ADDRESS] = file.data.ctypes.data + first_block
        row[START] = record.start - first_block
        row[END] = record.end - first_block - BLOCK * (len(record.positions) - 1)
        row[FIRST_VALUE] = values
        positions += record.positions
        values += -(-s.size // LINE) * LINE
    marks = aligned_words(8 << max(0, (marks_bytes // 64).bit_length() - 1))  # a power of two of lines
    block = aligned_words(len(table) + len(codes) + EXTRA + rows.size + len(positions))
    block[: len(table)] = table
    head = len(table)
    block[CODES], block[ROWS] = head, head + len(codes) + EXTRA
    block[PART_POSITIONS] = int(block[ROWS]) + rows.size
    block[head : head + len(codes)] = codes
    extra = block[head + 256 :]
    extra[0], extra[1] = marks.ctypes.data, len(marks) // 8 - 1
    block[int(block[ROWS]) : int(block[PART_POSITIONS])] = rows.ravel()
    block[int(block[PART_POSITIONS]) :] = positions
    expanded, uniform = _expanded(files, covered, rows, values, workers, announce) if expand else (None, None)
    if expanded is not None and uniform is not None:
        extra[2], extra[3] = expanded.ctypes.data, uniform.ctypes.data
    keep_with(block, marks, expanded, uniform, [file.data for file in files])
    return block


def _expanded(
    files: Sequence[DataFile], covered: Sequence[Slice], rows: WordArray, values: int, workers: int, announce: Announce
) -> tuple[WordArray, WordArray]:
    """The values of all slices, and the common value of each line of LINE positions (0: they differ); two bits each."""
    records = {record.name: (file, record) for file in files for record in file.records}
    words = aligned_words(values // 32)
    uniform = np.zeros(values // LINE // 32 + 1, np.uint64)
    codes = code_table()

    def expand(number: int) -> int:
        s, first = covered[number], int(rows[number, FIRST_VALUE]) // 32
        file, record = records[s.name]
        own = words[first : first + -(-s.size // LINE) * (LINE // 32)]
        if not record.positions:
            own[:] = record.default * 0x5555555555555555
        else:
            address = np.uint64(file.data.ctypes.data)
            unpack_codes(codes, address, record.start, record.end, np.uint64(record.default), own, 0, s.size)
        return s.size

    progress = running_total(announce, "expanding the database", sum(s.size for s in covered))
    with ThreadPoolExecutor(workers) as pool:
        for size in pool.map(expand, range(len(covered))):
            progress(size)
    _find_uniform(words, uniform)
    return words, uniform


@kernel
def _find_uniform(words: WordArray, uniform: WordArray) -> None:
    """Write the value of each uniform line of expanded values."""
    for line in range(words.size // (LINE // 32)):
        word = words[line * (LINE // 32)]
        same = word == (word & U3) * _EVEN_BITS
        for i in range(1, LINE // 32):
            same &= words[line * (LINE // 32) + i] == word
        if same:
            uniform[line >> 5] |= (word & U3) << np.uint64(2 * (line & 31))


@inline
def is_covered(t: Words, black_men: Word, white_men: Word, black_kings: Word, white_kings: Word) -> bool:
    """Whether the files hold positions of this material, which has at most t[PIECES] pieces."""
    code = (((popcount(black_kings) << U3) + popcount(white_kings)) << U3) + popcount(black_men)
    return t[t[_MATERIALS] + (code << U3) + popcount(white_men)] != U0


@inline
def _write_marks(codes: Words, data: ByteArray, byte: Word, end: Word, line: Words, part: Word) -> None:
    """Walk along the codes of a part and write its line of marks."""
    tag = part + U1
    position = U0
    for w in range(7):
        word = U0
        for m in range(3):
            stop = min(byte + _STEP, end)
            while byte < stop:
                position += codes[data[byte]] >> _32
                byte += U1
            mark = position if byte < end else _MARK
            word |= mark << (_21 * np.uint64(m))
        line[np.uint64(w) + U1] = word
        tag ^= word
    line[U0] = tag


@inline
def _compressed_value(t: Words, codes: Words, row: Words, index: Word) -> Word:
    """Value of position `index` of the slice with this row, from its code."""
    # 1. Binary search for the part, the block of data, in which the position is.
    positions = at(t, t[PART_POSITIONS] + row[FIRST_PART])
    number = U0
    count = row[PARTS]
    while count > U1:
        half = count >> U1
        number += half if positions[number + half] <= index else U0
        count -= half
    part = row[FIRST_PART] + number
    data = bytes_at(row[ADDRESS] + number * _BLOCK)
    byte = row[START] if number == U0 else U0
    end = row[END] if number + U1 == row[PARTS] else _BLOCK
    rest = index - positions[number]  # index of the position in its part
    # 2. The line of marks of this part tells from which byte to walk; another thread may be writing it now, so the tag
    # is compared with all words, read once.
    line = at(words_at(codes[_MARKS_ADDRESS]), (part & codes[_MARKS_MASK]) * _LINE_WORDS)
    tag = line[U0]
    words = line[U1], line[U2], line[U3], line[np.uint64(4)], line[_5], line[_6], line[np.uint64(7)]
    if tag ^ words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5] ^ words[6] == part + U1:
        passed = U0
        before = U0
        for word in words:
            for shift in (U0, _21, _42):
                mark = (word >> shift) & _MARK
                if mark <= rest:
                    passed += U1
                    before = mark
        rest -= before
        byte += passed * _STEP
    else:
        _write_marks(codes, data, byte, end, line, part)
    # 3. Walk along the codes to the one that holds the position.
    while True:
        entry = codes[data[byte]]
        length = entry >> _32
        if rest < length:
            break
        rest -= length
        byte += U1
    literal = entry & LOW_HALF
    return (literal >> (rest + rest)) & U3 if literal else row[DEFAULT]


@inline
def quiet_value(t: Words, own: Word, opp: Word, kings: Word, white: Word) -> np.int64:
    """The stored value of a state for the side to move, UNKNOWN if the files do not cover it.

    `white` is not 0 if White is to move. The value is meaningless if either side could capture.
    """
    men = database_boards(own & ~kings, opp & ~kings, white)
    crowned = database_boards(own & kings, opp & kings, white)
    black_men, white_men, black_kings, white_kings = men & LOW_HALF, men >> _32, crowned & LOW_HALF, crowned >> _32
    if not is_covered(t, black_men, white_men, black_kings, white_kings):
        return np.int64(UNKNOWN)
    place, index = place_and_index(t, black_men, white_men, black_kings, white_kings)
    row = at(t, t[ROWS] + (place - U1) * _LINE_WORDS)
    codes = at(t, t[CODES])
    expanded = codes[_EXPANDED]
    if expanded:
        index += row[FIRST_VALUE]
        line = index >> _LINE_BITS
        # The small table first: it is in the cache, and it answers for most lines.
        value = (words_at(codes[_UNIFORM])[line >> _5] >> ((line & _31) << U1)) & U3
        if value == U0:
            value = (words_at(expanded)[index >> _5] >> ((index & _31) << U1)) & U3
    elif row[PARTS] == U0:
        value = row[DEFAULT]
    else:
        value = _compressed_value(t, codes, row, index)
    return np.int64(value)
