"""Locks of files and folders between processes: who holds one, and waiting that is announced and can be interrupted.

The operating system keeps the locks, and ends them with the process that holds them, however that ends. It also knows
which process that is: on Linux, `/proc/locks` says so. Elsewhere a holder has no name.
"""

import contextlib
import logging
import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path

try:
    import fcntl
except ImportError:  # outside Unix
    fcntl = None  # type: ignore[assignment]

_LOG = logging.getLogger("gameforge.locks")
LOCKS = fcntl is not None
"""Whether this system has these locks."""
_LOOK = 0.05
"""Seconds between two attempts; a thread inside a system call could not be interrupted."""
_PATIENCE = 1.0
"""Seconds of waiting before it is announced."""
_AGAIN = 60.0
"""Seconds between two announcements."""
_LONGEST = 80
"""Characters of a command that a message shows."""


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file or folder until it is closed or this process ends; False if another process holds the lock.

    shared: several processes can have such a lock at once.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True


def wait_for_lock(
    descriptor: int, what: str, progress: Callable[[], str] = str, announce: Callable[[str], None] = _LOG.warning
) -> None:
    """Lock an open file or folder as soon as no other process holds its lock.

    The other parameters are those of `wait_until`.
    """
    wait_until(lambda: try_lock(descriptor), lambda: os.fstat(descriptor), what, progress, announce)


def wait_until(
    attempt: Callable[[], bool],
    file: Callable[[], os.stat_result],
    what: str,
    progress: Callable[[], str] = str,
    announce: Callable[[str], None] = _LOG.warning,
) -> None:
    """Repeat an attempt until it succeeds because no other process holds the lock of a file any more.

    what: what the holder does, such as "writes to FOLDER". progress: returns how far it is, such as "12 games so far";
    "": unknown. announce: called after a second, and then once a minute, with a sentence of all that; an exception that
    it raises ends the wait.
    """
    began, announced = time.monotonic(), -_AGAIN
    while not attempt():
        seconds = time.monotonic() - began
        if seconds >= _PATIENCE and seconds >= announced + _AGAIN:
            announced = seconds
            announce(f"waiting for {holder_text(file())}, which {what}{in_brackets(progress())}")
        time.sleep(_LOOK)


def in_brackets(text: str) -> str:
    """Return a text as an addition to a sentence, such as " (12 games so far)"; "" if there is none."""
    return f" ({text})" if text else ""


def holder_text(file: os.stat_result) -> str:
    """Name the process that holds a lock of a file or folder, such as `process 42 (gameforge match a b)`."""
    pid = _holder(file)
    if pid is None:
        return "another process"
    command = _command(pid)
    return f"process {pid}{in_brackets(command)}"


def _holder(file: os.stat_result) -> int | None:
    """Return the process that holds a lock of a file; None if the system does not say."""
    device = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if len(fields) == 8 and fields[3] == "WRITE" and fields[5] == device:  # a process that waits has 9 fields
                pid = int(fields[4])
                return pid if pid > 0 else None
    return None


def _command(pid: int) -> str:
    """Return the command line of a process, shortened; "" if it cannot be read."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return ""
    if len(arguments) > 2 and arguments[1:3] == ["-m", "gameforge"]:
        arguments = ["gameforge", *arguments[3:]]
    elif len(arguments) > 1 and Path(arguments[1]).name == "gameforge":
        arguments = ["gameforge", *arguments[2:]]
    text = " ".join(map(shlex.quote, arguments))
    text = "".join(character if character.isprintable() else "?" for character in text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
