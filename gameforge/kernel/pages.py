"""Large blocks of zeros whose pages the system clears when they are first used."""

import mmap

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.kernel.context import Words

_LARGE = 1 << 20


def zeros(words: int) -> Words:
    """Return a block of zeros, of at least one word; GameforgeError if the system has no room for it.

    A large block is mapped from the system, so that it takes no time to make, however large it is. numpy.zeros takes
    large blocks from memory that the process has used before, which it must clear first: tens of milliseconds.
    """
    size = 8 * max(1, words)
    if size < _LARGE:
        return np.zeros(max(1, words), np.uint64)
    try:
        return np.frombuffer(_mapped(size), np.uint64)
    except (OSError, OverflowError) as error:
        raise GameforgeError(f"a searcher needs {size >> 20:,} MB of memory, more than is available") from error


def _mapped(size: int) -> mmap.mmap:
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows, where anonymous memory is private
        return mmap.mmap(-1, size)
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        mapping.madvise(mmap.MADV_HUGEPAGE)
    return mapping
