"""Bytes of data files in kernels: how kernels reach them, and the run-length codes of Chinook's files.

Kernels reach memory outside a block through its address, which is a word of the block. So data files are mapped, not
copied, and threads share them. Code that writes an address into a block must keep the memory alive as long as the block
(`keep_with`).

A code is one byte. Codes 0..242 (literals) are the values of five positions as digits of base 3, the first position
being the most significant digit: 0 = draw, 1 = win, 2 = loss. Codes 243..255 are runs of the slice's default value.
"""

import ctypes
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import numpy as np
from gameforge_retrograde.indexer import ByteArray
from gameforge_retrograde.kernels import unpack
from numba import types
from numba.extending import intrinsic

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import U1, U2, U3, Whole, Word, WordArray, kernel

LINE = 64
"""Bytes of a cache line."""

if TYPE_CHECKING:

    def bytes_at(address: Whole) -> ByteArray:
        """Pointer to the bytes at an address."""
        ...

    def words_at(address: Whole) -> WordArray:
        """Pointer to the 64-bit words at an address."""
        ...

elif numba.config.DISABLE_JIT:
    _FAR = 1 << 40  # ctypes needs a length; only existing memory is read

    def bytes_at(address):
        return np.ctypeslib.as_array((ctypes.c_uint8 * _FAR).from_address(int(address)))

    def words_at(address):
        return np.ctypeslib.as_array((ctypes.c_uint64 * _FAR).from_address(int(address)))

else:

    def _pointer_to(dtype):
        def pointer(typing, address):
            def codegen(context, builder, signature, args):
                return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

            return types.CPointer(dtype)(types.uint64), codegen

        return intrinsic(pointer)

    bytes_at, words_at = _pointer_to(types.uint8), _pointer_to(types.uint64)


def aligned_words(count: int) -> WordArray:
    """Words of zeros that start at the beginning of a cache line."""
    room = np.zeros(count + LINE // 8, np.uint64)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + count]


def mapped(path: Path, size: int) -> ByteArray:
    """Map a file of `size` bytes into memory, for writing. Raises OSError if the disk is full.

    The disk space is reserved at once, because writing to a mapping of a full disk would kill the process.
    """
    with path.open("a+b") as file:
        if os.fstat(file.fileno()).st_size != size:
            os.truncate(file.fileno(), size)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
    return np.asarray(np.memmap(path, np.uint8, "r+", shape=(size,)))


def keep_with(block: WordArray, *memory: object) -> None:
    """Keep objects alive as long as the memory of a block, which the block may share with other views."""
    owner = block if block.base is None else block.base
    weakref.finalize(owner, _forget, memory)


def _forget(memory: object) -> None:
    """Drop the last references to the memory."""


BLOCK = 1024
"""Bytes of a block; the index lists the first position of each block."""
LITERAL = 5
"""Positions of a literal code."""
RUNS = (10, 15, 20, 25, 30, 40, 50, 60, 100, 200, 400, 800, 1600)
_FIRST_RUN = 243
_RUNS = np.array(RUNS, np.int64)
LENGTHS = np.array([LITERAL] * _FIRST_RUN + list(RUNS), np.int16)
"""Number of positions of each code."""
_VALUE_OF_DIGIT = np.array([DRAW, WIN, LOSS], np.uint8)
_LENGTH_SHIFT, _LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
_EVEN_BITS = np.uint64(0x5555555555555555)
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
                words[position >> 5] |= (values & U3) << (slot + slot)
                values >>= U2
                position += 1
            else:
                count = min(end, size) - position
                room = 32 - (position & 31)
                run = default * _EVEN_BITS
                if count < room:
                    run &= (U1 << np.uint64(2 * count)) - U1
                words[position >> 5] |= run << (slot + slot)
                position += min(count, room)
        position = end
    return position


def decode(file: ByteArray, first_byte: int, end_byte: int, default: int, size: int) -> ByteArray:
    """Decode the codes file[first_byte:end_byte] of a slice with `size` positions; returns one byte per position."""
    words = np.zeros(-(-size // 32), np.uint64)
    address = np.uint64(file.ctypes.data)
    unpack_codes(code_table(), address, first_byte, end_byte, np.uint64(default), words, 0, size)
    values = np.empty(size, np.uint8)
    unpack(words.view(np.uint8), 0, values)
    return values


@kernel
def encode(values: ByteArray, default: int, data: ByteArray) -> int:
    """Encode a slice: write its codes to `data`, which needs size // 5 + 1 elements, and return their number.

    Positions whose value is not stored must hold the default.
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
