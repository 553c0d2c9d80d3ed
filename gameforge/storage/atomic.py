"""Files that are replaced as a whole: written under a temporary name, then renamed."""

import contextlib
import json
import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gameforge.errors import GameforgeError

_TEMPORARY = re.compile(r"\.(.+)\.\d+-\d+\.tmp", re.DOTALL)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file: it has its old content or the new one, never a part of it, also after a power cut."""
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


def write_json(path: Path, content: Any) -> None:
    """Replace a file by indented JSON."""
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


def is_temporary(path: Path) -> bool:
    """Whether the name is one under which `write_atomically` writes; a kill leaves such files behind."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_temporaries_of(paths: Iterable[Path]) -> None:
    """Remove what killed processes left of these files. The caller sees to it that nobody is writing them."""
    for path in paths:
        for left in path.parent.glob(".*.tmp"):
            found = _TEMPORARY.fullmatch(left.name)
            if found is not None and found[1] == path.name:
                left.unlink(missing_ok=True)
