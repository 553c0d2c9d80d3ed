"""Access to memory outside a block: kernels reach it through its address, which is a word of the block.

So data files are mapped, not copied, and threads share them. Code that writes an address into a block must keep the
memory alive as long as the block (`keep_with`).
"""

import ctypes
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gameforge.kernel import COMPILED

LINE = 64
"""Bytes of a cache line."""

if TYPE_CHECKING or not COMPILED:
    _FAR = 1 << 40  # ctypes needs a length; only existing memory is read

    def bytes_at(address: Any) -> Any:
        """Pointer to the bytes at an address."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * _FAR).from_address(int(address)))

    def words_at(address: Any) -> Any:
        """Pointer to the 64-bit words at an address."""
        return np.ctypeslib.as_array((ctypes.c_uint64 * _FAR).from_address(int(address)))

else:

    def _pointer_to(dtype: Any) -> Any:
        def pointer(typing: Any, address: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

            return types.CPointer(dtype)(types.uint64), codegen

        return intrinsic(pointer)

    bytes_at, words_at = _pointer_to(types.uint8), _pointer_to(types.uint64)


def aligned_words(count: int) -> NDArray[np.uint64]:
    """Words of zeros that start at the beginning of a cache line."""
    room = np.zeros(count + LINE // 8, np.uint64)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + count]


def mapped(path: Path, size: int) -> NDArray[np.uint8]:
    """Map a file of `size` bytes into memory, for writing. Raises OSError if the disk is full.

    The disk space is reserved at once, because writing to a mapping of a full disk would kill the process.
    """
    with path.open("a+b") as file:
        if os.fstat(file.fileno()).st_size != size:
            os.truncate(file.fileno(), size)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
    return np.asarray(np.memmap(path, np.uint8, "r+", shape=(size,)))


def keep_with(block: NDArray[np.uint64], *memory: Any) -> None:
    """Keep objects alive as long as the memory of a block, which the block may share with other views."""
    owner = block if block.base is None else block.base
    weakref.finalize(owner, _forget, memory)


def _forget(memory: Any) -> None:
    """Drop the last references to the memory."""
