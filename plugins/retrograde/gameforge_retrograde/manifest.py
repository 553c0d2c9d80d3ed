"""Manifests of endgame databases, which describe the files beside them, and journals of interrupted solutions.

A journal of finished units, from which an interrupted solution resumes, has one line per unit, which is written after
the unit's results: the SHA-256 of an entry, and the entry as JSON. A torn or damaged line ends the journal: its unit
and those after it are solved again.
"""

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs

from gameforge import GameforgeError
from gameforge.kernel import cache_root
from gameforge.storage import files, stored

T = TypeVar("T")

FORMAT, VERSION = "gameforge egdb", 1
"""What every manifest says of itself, and the version that this GameForge writes and reads."""


@attrs.frozen
class KeptFile:
    """A file of the database, as the manifest lists it."""

    name: str = attrs.field(validator=stored.file_name)
    """Name of the file, without a folder."""
    bytes: int
    """Size of the file."""
    sha256: str
    """Checksum of its content, in hexadecimal digits."""


def cache_folder() -> Path:
    """Return the folder of databases without a path of their own; GAMEFORGE_CACHE (environment) moves it."""
    return cache_root().parent / "egdb"


def only_manifest(path: Path, found: Iterable[Path], nothing: str) -> Path:
    """Return the manifest at `path`, or, if that is a folder, the only one of `found` there.

    nothing: what the folder does not hold if nothing is found. Raises GameforgeError unless there is exactly one.
    """
    if not path.exists():
        raise GameforgeError(f"{path}: no such file or folder")
    if not path.is_dir():
        return path
    manifests = sorted(found)
    if len(manifests) != 1:
        names = ", ".join(file.name for file in manifests) or nothing
        raise GameforgeError(f"{path}: the folder holds {names}; give one manifest")
    return manifests[0]


def read_content(path: Path) -> dict[str, Any]:
    """Read a manifest of any game. Raises GameforgeError if it is damaged, or another kind of file."""
    try:
        content = stored.parse_json(stored.read_file(path))
    except OSError as error:
        raise GameforgeError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise GameforgeError(f"{path}: damaged, not a JSON file ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GameforgeError(f"{path}: not the manifest of an endgame database of GameForge")
    return content


def read_entries(path: Path, content: Mapping[str, object], kind: type[T]) -> T:
    """Read the content of a manifest as an attrs class. Raises GameforgeError if its version or an entry is wrong."""
    if content.get("version") != VERSION:
        raise GameforgeError(f"{path}: version {content.get('version')!r}; this GameForge reads {VERSION}")
    try:
        return stored.read_as(kind, content)
    except ValueError as error:
        raise GameforgeError(f"{path}: damaged ({error})") from error


Entry = TypeVar("Entry", bound=attrs.AttrsInstance)


class Journal(Generic[Entry]):
    """Entries of one attrs class. The first line, `head`, describes what is solved.

    A journal with another head is discarded. Only one process at a time may have a journal open.
    """

    def __init__(self, path: Path, head: Mapping[str, object], kind: type[Entry]) -> None:
        self._path = path
        self._lock = threading.Lock()
        files.remove_temporaries_of([path])
        content = stored.read_file(path) if path.exists() else b""
        # A killed process may have left its last line incomplete.
        first, *rest = content.split(b"\n")[:-1] or [b""]
        whole = _line(head)
        known = first + b"\n" == whole
        self._entries: list[Entry] = []
        for line, entry in _entries(rest if known else [], kind):
            whole += line + b"\n"
            self._entries.append(entry)
        if content != whole:
            files.write_atomically(path, whole)

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


def _line(content: Mapping[str, object]) -> bytes:
    data = json.dumps(content).encode()
    return hashlib.sha256(data).hexdigest().encode() + b" " + data + b"\n"


def _entries(lines: list[bytes], kind: type[Entry]) -> Iterator[tuple[bytes, Entry]]:
    for line in lines:
        digest, _, data = line.partition(b" ")
        if hashlib.sha256(data).hexdigest().encode() != digest:
            return
        try:
            yield line, stored.read_as(kind, json.loads(data))
        except (GameforgeError, ValueError):  # the line is whole, but of another version
            return
