"""Databases of distances: one file, which is the block that kernels read, and a manifest.

`NAME.egdb`: the game's tables, in words, then the distance bytes (kernels.py) of all positions, by number. The first
word of the tables names their game and version; the words POSITIONS and WORDS are the number of positions and the
number of words of all tables. `NAME.json`: what the game says about the database, and the checksum of the file.
"""

import hashlib
import itertools
import json
from collections.abc import Mapping
from pathlib import Path

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import Announce
from gameforge.kernel import Word, WordArray, Words, inline, slots
from gameforge.storage import files, locked
from gameforge_retrograde.indexer import ByteArray, Indexer, Unit
from gameforge_retrograde.kernels import value_of
from gameforge_retrograde.manifest import FORMAT, VERSION, KeptFile
from gameforge_retrograde.solver import Solver

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
