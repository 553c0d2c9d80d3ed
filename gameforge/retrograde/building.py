"""Where a database is built: a folder that one process at a time works in, and files mapped into memory."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError


class AnotherBuilds(GameforgeError):
    """Another process builds the same database."""


def mapped(path: Path, size: int) -> NDArray[np.uint8]:
    """A file of this size, mapped into memory; its disk space is reserved, since a mapping cannot say it is full."""
    with path.open("a+b") as file:
        if os.fstat(file.fileno()).st_size != size:
            os.truncate(file.fileno(), size)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
    return np.asarray(np.memmap(path, np.uint8, "r+", shape=(size,)))


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else builds in this folder; the lock goes with the process, however that ends.

    Raises AnotherBuilds if somebody does.
    """
    with (folder / "lock").open("wb") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except BlockingIOError:
            raise AnotherBuilds(f"{folder}: another process is building there") from None
        yield
