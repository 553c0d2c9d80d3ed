"""Room for what is to be written and computed: checked before the first byte, where its size is known."""

import os
import shutil
from pathlib import Path

from gameforge.errors import GameforgeError

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_MEMORY = Path("/proc/meminfo")


def size_text(size: float) -> str:
    """A number of bytes in the unit that fits, in powers of 1000: `820 bytes`, `1.25 MB`, `110 GB`."""
    unit = 0
    while size >= 999.5 and unit < len(_UNITS) - 1:
        size /= 1000
        unit += 1
    digits = 0 if unit == 0 or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:.{digits}f} {_UNITS[unit]}"


def require_disk(folder: Path, size: int, what: str) -> None:
    """Raise GameforgeError that names both sizes if the disk of a folder, which need not exist, has less room."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.is_dir())
    try:
        free = shutil.disk_usage(existing).free
    except OSError:  # a file system that does not say
        return
    if size > free:
        raise GameforgeError(f"{what} needs {size_text(size)} of disk in {folder}, where {size_text(free)} are free")


def require_memory(size: int, what: str) -> None:
    """Raise GameforgeError that names both sizes if less memory is available."""
    available = available_memory()
    if available is not None and size > available:
        raise GameforgeError(f"{what} needs {size_text(size)} of memory, of which {size_text(available)} are available")


def available_memory() -> int | None:
    """Bytes that programs can still get without swapping, or, where no one knows, all that the machine has."""
    try:
        for line in _MEMORY.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
