"""One writer of a folder at a time."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else who asks writes in this folder; GameforgeError if somebody does.

    The lock is the system's on the folder itself: it leaves no file, and goes with the process however that
    ends. Outside of Unix, and on file systems without locks, there is none.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GameforgeError(f"{folder}: another process is writing there; wait until it has ended") from None
        except OSError:  # no locks here
            pass
        yield
    finally:
        os.close(descriptor)
