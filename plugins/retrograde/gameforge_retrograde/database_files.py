"""Files of endgame databases: manifests, journals of interrupted solutions, and files of distances.

A manifest describes the files beside it. A journal of finished units, from which an interrupted solution resumes, has
one line per unit, which is written after the unit's results: the SHA-256 of an entry, and the entry as JSON. A torn or
damaged line ends the journal: its unit and those after it are solved again.

A database of distances is one file, which is the block that kernels read, and a manifest. `NAME.egdb`: the game's
tables, in words, then the distance bytes (kernels.py) of all positions, by number. The first word of the tables names
their game and version; the words POSITIONS and WORDS are the number of positions and the number of words of all tables.
`NAME.json`: what the game says about the database, and the checksum of the file.
"""

import hashlib
import itertools
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import Announce
from gameforge.kernel import Word, WordArray, Words, cache_root, inline, slots
from gameforge.storage import files, locked, stored
from gameforge_retrograde.indexer import ByteArray, Indexer, Unit
from gameforge_retrograde.kernels import value_of
from gameforge_retrograde.solver import Solver

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


def game_of(path: Path) -> object:
    """Return the game that a manifest names; None if the file is something else, or has no database beside it.

    Raises GameforgeError if it cannot be read.
    """
    if path.suffix != ".json" or not any(path.with_suffix(ending).is_file() for ending in (".egdb", "")):
        return None
    return read_content(path).get("game")


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


POSITIONS, WORDS = np.uint64(2), np.uint64(3)
"""Words of the tables: the number of positions, and the number of words of all tables."""
_3, _7, _BYTE = (np.uint64(n) for n in (3, 7, 255))


@inline
def value_at(block: Words, number: Word, out: Words) -> np.int64:
    """Return the value of a position for the side to move; write its distance to out[PROBE_DISTANCE]."""
    byte = (block[block[WORDS] + (number >> _3)] >> ((number & _7) << _3)) & _BYTE
    out[slots.PROBE_DISTANCE] = byte
    return value_of(byte)


def distances_of(block: WordArray) -> ByteArray:
    """Return the bytes of all positions, by number, followed by zeros up to a whole word."""
    return block[int(block[WORDS]) :].view(np.uint8)


def _words(tables: WordArray) -> int:
    """Return the length of the file with these tables."""
    return len(tables) + -(-int(tables[POSITIONS]) // 8)


def make_folder(out: Path, size: int, memory: int, what: str) -> None:
    """Make the output folder.

    Raises GameforgeError if there is less room on its disk or in memory, in bytes, and if it cannot be made.
    """
    files.require_disk(out, size, what)
    files.require_memory(memory, what)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(out, error) from error


def solve(indexer: Indexer, tables: WordArray, announce: Announce, title: str, workers: int = 1) -> WordArray:
    """Solve all positions of the indexer, whose slices follow one another, and return the content of the file."""
    content = np.zeros(_words(tables), np.uint64)
    content[: len(tables)] = tables
    distances = distances_of(content)
    starts = [0, *itertools.accumulate(indexer.sizes)]
    solver = Solver(indexer, distances, starts)
    done = 0

    def solve_unit(unit: Unit) -> None:
        near = solver.dtw(unit)
        for n in unit:
            size = starts[n + 1] - starts[n]
            distances[starts[n] : starts[n + 1]], near = near[:size], near[size:]

    def progress(positions: int) -> None:
        nonlocal done
        done += positions
        announce(title, done, starts[-1])

    progress(0)
    solver.run(solve_unit, workers, progress)
    return content


def write(out: Path, name: str, content: WordArray, about: Mapping[str, object], counts: Mapping[str, object]) -> Path:
    """Write the file and its manifest, replacing existing ones; return the path of the manifest.

    Temporary files that killed builds left are removed. about, counts: what the manifest says before and after the
    entry of the file. Raises GameforgeError if the files cannot be written.
    """
    data, manifest = out / f"{name}.egdb", out / f"{name}.json"
    file = KeptFile(data.name, content.nbytes, hashlib.sha256(content.data).hexdigest())
    whole = {"format": FORMAT, "version": VERSION, **about, "file": attrs.asdict(file), **counts}
    try:
        with locked(out, wait=True):
            files.remove_temporaries_of((data, manifest))
            files.write_atomically(data, content.tobytes())
            files.write_atomically(manifest, json.dumps(whole, indent=1).encode() + b"\n")
    except OSError as error:
        raise _unwritable(out, error) from error
    return manifest


def _unwritable(path: Path, error: OSError) -> GameforgeError:
    return GameforgeError(f"{error.filename or path}: cannot be written ({error.strerror})")


def read(manifest: Path, file: KeptFile, tables: WordArray, men: str, endings: str) -> WordArray:
    """Map the file into memory. Raises GameforgeError if it is damaged, or if its tables are not `tables`.

    men, endings: what messages call the extent of the tables, such as "3 men", and what they number.
    """
    if file.bytes != 8 * _words(tables):
        raise GameforgeError(f"{manifest}: damaged (a file of {file.bytes:,} bytes is not one of {men})")
    path = manifest.with_name(file.name)
    try:
        size = path.stat().st_size
        if size != file.bytes:
            raise GameforgeError(f"{path}: {size:,} bytes, but {manifest.name} says {file.bytes:,}")
        words = np.asarray(np.memmap(path, np.uint64, "c"))  # copy on write: kernels need a writable block
    except (OSError, ValueError) as error:
        raise GameforgeError(f"{path}: cannot be read ({error})") from error
    if hashlib.sha256(words.data).hexdigest() != file.sha256:
        raise GameforgeError(f"{path}: damaged, its checksum is not the one in {manifest.name}")
    if words[0] != tables[0]:
        raise GameforgeError(f"{path}: not a file of {endings} of this version")
    if not np.array_equal(words[: len(tables)], tables):
        raise GameforgeError(f"{path}: damaged, its tables are not those of {men}")
    return words
