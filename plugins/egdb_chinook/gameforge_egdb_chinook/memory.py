"""Access to memory outside a block: kernels reach it through its address, which is a word of the block.

So data files are mapped, not copied, and threads share them. Code that writes an address into a block must keep the
memory alive as long as the block (`keep_with`).
"""

import ctypes
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import numpy as np
from gameforge_retrograde.indexer import ByteArray
from numba import types
from numba.extending import intrinsic

from gameforge.kernel import Whole, WordArray

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
