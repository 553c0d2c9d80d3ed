"""Files that are replaced as a whole: written under a temporary name, then renamed."""

import contextlib
import os
import threading
from pathlib import Path

from gameforge.errors import GameforgeError


def write_atomically(path: Path, data: bytes) -> None:
    """The file has its old content or the new one, never a part, also after a power cut."""
    if path.is_dir():
        raise GameforgeError(f"cannot write {path}: it is a folder")
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:  # Ctrl-C, too
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from error
        raise
