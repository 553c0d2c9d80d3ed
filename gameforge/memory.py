"""How much memory there is, and the sentence that says that something does not fit into it.

Whoever knows beforehand how much memory a piece of work needs calls `require_memory` before it begins.
"""

import os
from collections.abc import Callable
from pathlib import Path

from gameforge.errors import GameforgeError

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_MACHINE, _PROCESS, _RESET = Path("/proc/meminfo"), Path("/proc/self/status"), Path("/proc/self/clear_refs")
"""Files of Linux: the machine's memory, that of this process, and what resets its peak."""
_CONTAINER = Path("/sys/fs/cgroup/memory.max")
"""The most memory, in bytes, that the processes of a container may have together (cgroups v2)."""


def size_text(size: float) -> str:
    """A number of bytes in the unit that fits, in powers of 1000: `820 bytes`, `1.25 MB`, `110 GB`."""
    unit = 0
    while size >= 999.5 and unit < len(_UNITS) - 1:
        size /= 1000
        unit += 1
    digits = 0 if unit == 0 or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:.{digits}f} {_UNITS[unit]}"


def require_memory(size: int, what: str) -> None:
    """Raise GameforgeError that names both sizes if less memory is available."""
    available = available_memory()
    if available is not None and size > available:
        raise GameforgeError(f"{what} needs {size_text(size)} of memory, of which {size_text(available)} are available")


def available_memory() -> int | None:
    """Bytes that programs can still get without swapping, or, where no one knows, all that the machine has; not more
    than the limit of a container."""
    known = [size for size in (_machine_memory(), _container_memory()) if size is not None]
    return min(known, default=None)


def _container_memory() -> int | None:
    try:
        return int(_CONTAINER.read_text())
    except (OSError, ValueError):  # without a limit, it holds `max`
        return None


def _machine_memory() -> int | None:
    if (available := _bytes_of(_MACHINE, "MemAvailable")) is not None:
        return available
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def memory_of(work: Callable[[], object]) -> int | None:
    """Do a piece of work; return the bytes that it took at its peak, or None where the system does not count them."""
    before = _bytes_of(_PROCESS, "VmRSS")
    try:
        _RESET.write_text("5")  # the peak is now what the process has at present
    except OSError:
        before = None
    work()
    peak = _bytes_of(_PROCESS, "VmHWM")
    return None if before is None or peak is None else max(0, peak - before)


def _bytes_of(file: Path, name: str) -> int | None:
    """Return the bytes that a file of Linux lists by this name; None where it does not."""
    try:
        for line in file.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None
