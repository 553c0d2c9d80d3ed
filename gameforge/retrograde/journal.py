"""A journal of finished units, from which an interrupted solution resumes.

The journal has one line per unit, which is written after the unit's results. A torn last line is ignored.
"""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Journal:
    """Lines of JSON. The first line, `head`, describes what is solved; a journal with another head is discarded."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        self._path = path
        self._lock = threading.Lock()
        content = path.read_bytes() if path.exists() else b""
        self._lines = list(_complete_lines(content))
        if not self._lines or self._lines[0] != head:
            self._lines = [head]
        whole = b"".join(map(_line, self._lines))
        if content != whole:
            temporary = path.with_suffix(".tmp")
            temporary.write_bytes(whole)
            temporary.replace(path)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """All entries, in the order in which they were written."""
        return self._lines[1:]

    def append(self, entry: dict[str, Any]) -> None:
        """Write an entry; any thread may call this."""
        with self._lock:
            self._lines.append(entry)
            with self._path.open("ab") as file:
                file.write(_line(entry))


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"


def _complete_lines(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.split(b"\n")[:-1]:
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if not isinstance(entry, dict):
            return
        yield entry
