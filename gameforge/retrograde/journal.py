"""A journal of finished units, from which an interrupted solution resumes.

The journal has one line per unit, which is written after the unit's results: the SHA-256 of an entry, and the entry as
JSON. A torn or damaged line ends the journal: its unit and those after it are solved again.
"""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs

from gameforge.errors import GameforgeError
from gameforge.storage.atomic import remove_temporaries_of, write_atomically
from gameforge.storage.log import whole_lines
from gameforge.storage.stored import read_as

Entry = TypeVar("Entry", bound=attrs.AttrsInstance)


class Journal(Generic[Entry]):
    """Entries of one attrs class. The first line, `head`, describes what is solved.

    A journal with another head is discarded. Only one process at a time may have a journal open.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], kind: type[Entry]) -> None:
        self._path = path
        self._lock = threading.Lock()
        remove_temporaries_of([path])
        content = path.read_bytes() if path.exists() else b""
        first, *rest = whole_lines(content) or [b""]
        whole = _line(head)
        known = first + b"\n" == whole
        self._entries: list[Entry] = []
        for line, entry in _entries(rest if known else [], kind):
            whole += line + b"\n"
            self._entries.append(entry)
        if content != whole:
            write_atomically(path, whole)

    @property
    def entries(self) -> list[Entry]:
        """All entries, in the order in which they were written."""
        return self._entries

    def append(self, entry: Entry) -> None:
        """Write an entry; any thread may call this."""
        line = _line(attrs.asdict(entry))
        with self._lock:
            self._entries.append(entry)
            with self._path.open("ab") as file:
                file.write(line)


def _line(content: Mapping[str, Any]) -> bytes:
    data = json.dumps(content).encode()
    return hashlib.sha256(data).hexdigest().encode() + b" " + data + b"\n"


def _entries(lines: list[bytes], kind: type[Entry]) -> Iterator[tuple[bytes, Entry]]:
    for line in lines:
        digest, _, data = line.partition(b" ")
        if hashlib.sha256(data).hexdigest().encode() != digest:
            return
        try:
            yield line, read_as(kind, json.loads(data))
        except (GameforgeError, ValueError):  # the line is whole, but of another version
            return
