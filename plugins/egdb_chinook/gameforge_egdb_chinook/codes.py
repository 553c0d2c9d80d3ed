"""The run-length codes of Chinook's data files.

A code is one byte. Codes 0..242 (literals) are the values of five positions as digits of base 3, the first position
being the most significant digit: 0 = draw, 1 = win, 2 = loss. Codes 243..255 are runs of the slice's default value.
"""

import numpy as np
from gameforge_retrograde.indexer import ByteArray

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import IntegerArray, Whole, Word, WordArray, kernel
from gameforge_egdb_chinook.memory import bytes_at

BLOCK = 1024
"""Bytes of a block; the index lists the first position of each block."""
LITERAL = 5
"""Positions of a literal code."""
RUNS = (10, 15, 20, 25, 30, 40, 50, 60, 100, 200, 400, 800, 1600)
_FIRST_RUN = 243
_RUNS = np.array(RUNS, np.int64)
_VALUE_OF_DIGIT = np.array([DRAW, WIN, LOSS], np.uint8)
_LENGTH_SHIFT, _LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
_1, _2, _3, _EVEN_BITS = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(0x5555555555555555)
_DIGIT_OF_VALUE = np.array([0, 1, 2, 0], np.uint8)


def code_table() -> WordArray:
    """The meaning of each code: its length in the high half, and the 2-bit values of a literal in the low half.

    The low half of a run is 0. Returns 256 words.
    """
    table = np.zeros(256, np.uint64)
    for code in range(_FIRST_RUN):
        values = (_VALUE_OF_DIGIT[code // 3 ** (LITERAL - 1 - i) % 3] for i in range(LITERAL))
        table[code] = sum(int(value) << 2 * i for i, value in enumerate(values)) + (LITERAL << 32)
    table[_FIRST_RUN:] = [run << 32 for run in RUNS]
    return table


@kernel
def coded_positions(table: WordArray, address: Whole, first_byte: int, end_byte: int) -> Word:
    """Number of positions encoded by the bytes from address + first_byte to address + end_byte."""
    data = bytes_at(address)
    count = np.uint64(0)
    for byte in range(first_byte, end_byte):
        count += table[data[byte]] >> _LENGTH_SHIFT
    return count


@kernel
def unpack_codes(
    table: WordArray,
    address: Word,
    first_byte: int,
    end_byte: int,
    default: Word,
    words: WordArray,
    position: Whole,
    size: Whole,
) -> Whole:
    """Decode codes into words of 32 two-bit values, from `position` on, up to `size`; the words must hold zeros.

    Returns the position after the last code.
    """
    data = bytes_at(address)
    for byte in range(first_byte, end_byte):
        entry = table[data[byte]]
        end: Whole = position + np.int64(entry >> _LENGTH_SHIFT)
        values = np.uint64(entry & _LOW_HALF)
        while position < end and position < size:
            slot = np.uint64(position & 31)
            # The values of a literal are never 0. A run has none, and is written by whole words.
            if values:
                words[position >> 5] |= (values & _3) << (slot + slot)
                values >>= _2
                position += 1
            else:
                count = min(end, size) - position
                room = 32 - (position & 31)
                if count >= room:
                    words[position >> 5] |= (default * _EVEN_BITS) << (slot + slot)
                    position += room
                else:
                    words[position >> 5] |= (default * _EVEN_BITS & ((_1 << np.uint64(2 * count)) - _1)) << (
                        slot + slot
                    )
                    position += count
        position = end
    return position


@kernel
def decode(data: ByteArray, first_byte: int, end_byte: int, default: int, values: ByteArray, position: int) -> int:
    """Decode the codes data[first_byte:end_byte] into values, one byte per position, from values[position] on.

    Returns the position after the last code, which may lie past the end of the slice; nothing is written there.
    """
    size = values.size
    for byte in range(first_byte, end_byte):
        code = np.int64(data[byte])
        if code < _FIRST_RUN:
            weight = 81
            for _ in range(LITERAL):
                if position < size:
                    values[position] = _VALUE_OF_DIGIT[(code // weight) % 3]
                position += 1
                weight //= 3
        else:
            run = _RUNS[code - _FIRST_RUN]
            for i in range(position, min(position + run, size)):
                values[i] = default
            position += run
    return position


@kernel
def encode(values: ByteArray, default: int, data: ByteArray, positions: IntegerArray) -> int:
    """Encode a slice: write its codes to `data` and the first position of each code to `positions`.

    Positions whose value is not stored must hold the default. `data` and `positions` need size // 5 + 1 elements;
    `positions` may be empty. Returns the number of codes.
    """
    size = values.size
    n = 0
    position = 0
    run_end = 0
    while position < size:
        # Find the end of a run once, not for each code within it.
        if run_end <= position:
            run_end = position
            while run_end < size and values[run_end] == default:
                run_end += 1
        if positions.size:
            positions[n] = position
        if run_end - position >= _RUNS[0]:
            # Take the longest code that fits, as the published files do.
            run = _RUNS.size - 1
            while _RUNS[run] > run_end - position:
                run -= 1
            data[n] = _FIRST_RUN + run
            position += _RUNS[run]
        else:
            # The last literal may reach past the end of the slice, where it holds the default.
            code: Whole = 0
            for i in range(position, position + LITERAL):
                code = 3 * code + np.int64(_DIGIT_OF_VALUE[values[i] if i < size else default])
            data[n] = code
            position += LITERAL
        n += 1
    return n
