"""Locks on folders, so that only one process at a time writes to a folder.

The operating system locks the folder itself: there is no lock file, and the lock ends with the process, however that
ends. Outside Unix, and on file systems that do not lock folders, such as NFS, nothing is locked.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError

_UNIX = os.name == "posix"
"""Elsewhere, folders cannot be opened."""
_LOOK = 0.1
"""Seconds after which `locked` tries again, because `is_busy` may hold the lock for a moment."""


class FolderInUse(GameforgeError):
    """Another process is writing to a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another process is writing there; wait until it has ended")


@contextlib.contextmanager
def locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Lock a folder. If another process holds its lock, wait for it, or raise FolderInUse.

    Raises FileNotFoundError if there is no such folder.
    """
    if not _UNIX:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if not _lock(descriptor, wait=wait):
            time.sleep(_LOOK)
            if not _lock(descriptor):
                raise FolderInUse(folder)
        yield
    finally:
        os.close(descriptor)


def is_busy(folder: Path) -> bool:
    """Return whether a process holds the lock of this folder now."""
    if not _UNIX:
        return False
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool = False, shared: bool = False) -> bool:
    """Lock an open folder until this process closes it or ends; return False if another process holds the lock.

    `is_busy` takes a shared lock, so that two processes that check at once do not mistake each other for a writer.
    """
    import fcntl

    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True
