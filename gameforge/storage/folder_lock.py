"""One writer of a folder at a time, by the system's lock on the folder itself.

The lock leaves no file, and ends with the process, however that ends. Outside of Unix, and on file systems
that know no locks, nothing is locked.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError

_LOOK = 0.1
"""Seconds for which `is_busy` may hold the lock of a folder that it only looks at."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock an existing folder; GameforgeError if another process holds its lock."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if not _lock(descriptor):
            time.sleep(_LOOK)
            if not _lock(descriptor):
                raise GameforgeError(f"{folder}: another process is writing there; wait until it has ended")
        yield
    finally:
        os.close(descriptor)


def is_busy(folder: Path) -> bool:
    """Whether some process holds the lock of this folder now."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _lock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock an open folder until this process closes it or dies; False if another process holds the lock."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # no locks here
        return True
    return True
