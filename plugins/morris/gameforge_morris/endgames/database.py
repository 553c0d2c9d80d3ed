"""A database of distances: one file, which is the block that kernels read, and a manifest in JSON.

`morris4.egdb`: the tables of subspaces.py, then one byte per position, by number: 1 + plies to the end of the game, or
0 for a draw. The side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.
`morris4.json`: positions, wins, losses, draws and longest win of each subspace, and the checksum of the file.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.kernel.compile.jit import cache_root, kernel
from gameforge.retrograde.indexer import Unit
from gameforge.retrograde.solver import Solver
from gameforge.storage.atomic import remove_temporaries_of, write_atomically
from gameforge.storage.folder_lock import locked
from gameforge.storage.room import require_disk, require_memory
from gameforge.storage.stored import file_name, parse_json, read_as
from gameforge_morris.board import LEAST_MEN, WHITE, state_of
from gameforge_morris.endgames.subspaces import MAGIC, MOST_MEN, Subspace, Words, men_of, subspaces, table_words, tables
from gameforge_morris.endgames.units import MorrisUnits
from gameforge_morris.positions import position_text

Bytes = NDArray[np.uint8]
FORMAT, GAME = "gameforge egdb", "morris"
VERSION = 1


@attrs.frozen
class Counts:
    """Numbers of positions in a subspace by value, for the side to move."""

    name: str
    """Numbers of own men and of the opponent's, such as 3-4."""
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int
    """In plies."""
    example: str
    """A position with the longest win, with White to move."""


@attrs.frozen
class _File:
    name: str = attrs.field(validator=file_name)
    bytes: int
    sha256: str


@attrs.frozen
class _Manifest:
    men: int = attrs.field(validator=attrs.validators.in_((LEAST_MEN, MOST_MEN)))
    file: _File
    subspaces: tuple[Counts, ...]


@attrs.frozen
class Database:
    """A database that was read: `words` is the file, mapped into memory."""

    path: Path
    """Path of the manifest."""
    men: int
    words: Words
    counts: tuple[Counts, ...]

    @property
    def distances(self) -> Bytes:
        """The bytes of all positions, by number."""
        return self.words[table_words(self.men) :].view(np.uint8)


def folder() -> Path:
    """Return the folder of databases without a path of their own; GAMEFORGE_CACHE (environment) moves it."""
    return cache_root().parent / "egdb"


def build(men: int, out: Path, announce: Announce = silent) -> Path:
    """Solve all subspaces with up to `men` men of each side and write the files; return the path of the manifest.

    Existing files are replaced, and temporary files that killed builds left are removed. Raises GameforgeError if the
    files cannot be written.
    """
    units = MorrisUnits(men)
    total = units.starts[-1]
    what = f"building morris{men}"
    require_disk(out, total, what)
    require_memory(2 * total, what)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    distances = np.zeros(-(-total // 8) * 8, np.uint8)
    solver = Solver(units, distances, units.starts)
    done = 0

    def solve(unit: Unit) -> None:
        near = solver.dtw(unit)
        for n in unit:
            size, start = units.sizes[n], units.starts[n]
            distances[start : start + size], near = near[:size], near[size:]

    def progress(positions: int) -> None:
        nonlocal done
        done += positions
        announce(_title(men), done, total)

    progress(0)
    solver.run(solve, 1, progress)
    content = np.concatenate([tables(men, units.starts), distances.view(np.uint64)])
    counts = [
        _counted(s, distances[i : i + s.size], content) for s, i in zip(units.subspaces, units.starts, strict=False)
    ]
    data, manifest = out / f"morris{men}.egdb", out / f"morris{men}.json"
    about = {
        "format": FORMAT,
        "version": VERSION,
        "game": GAME,
        "men": men,
        "positions": total,
        "file": {"name": data.name, "bytes": content.nbytes, "sha256": hashlib.sha256(content.data).hexdigest()},
        "subspaces": [attrs.asdict(count) for count in counts],
    }
    try:
        with locked(out, wait=True):
            remove_temporaries_of((data, manifest))
            write_atomically(data, content.tobytes())
            write_atomically(manifest, json.dumps(about, indent=1).encode() + b"\n")
    except OSError as error:
        raise _unwritable(out, error) from error
    return manifest


def _unwritable(path: Path, error: OSError) -> GameforgeError:
    return GameforgeError(f"{error.filename or path}: cannot be written ({error.strerror})")


def read(path: Path) -> Database:
    """Read the database of a folder or manifest; GameforgeError if there is none, or if a file is damaged."""
    manifest = _manifest_at(path)
    try:
        content = parse_json(manifest.read_bytes())
    except OSError as error:
        raise GameforgeError(f"{manifest}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise GameforgeError(f"{manifest}: damaged ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GameforgeError(f"{manifest}: not the manifest of an endgame database of GameForge")
    if content.get("game") != GAME:
        raise GameforgeError(f"{manifest}: the database is of {content.get('game')!r}, not of {GAME}")
    if content.get("version") != VERSION:
        raise GameforgeError(f"{manifest}: version {content.get('version')!r}; this GameForge reads {VERSION}")
    try:
        about = read_as(_Manifest, content)
    except (ValueError, KeyError, TypeError) as error:
        raise GameforgeError(f"{manifest}: damaged ({error})") from error
    data, size = manifest.with_name(about.file.name), about.file.bytes
    if size != 8 * table_words(about.men) + -(-MorrisUnits(about.men).starts[-1] // 8) * 8:
        raise GameforgeError(f"{manifest}: damaged (a file of {size:,} bytes is not one of {about.men} men)")
    try:
        if data.stat().st_size != size:
            raise GameforgeError(f"{data}: {data.stat().st_size:,} bytes, but {manifest.name} says {size:,}")
        words = np.asarray(np.memmap(data, np.uint64, "c"))  # copy on write: kernels need a writable block
    except (OSError, ValueError) as error:
        raise GameforgeError(f"{data}: cannot be read ({error})") from error
    if hashlib.sha256(words.data).hexdigest() != about.file.sha256:
        raise GameforgeError(f"{data}: damaged, its checksum is not the one in {manifest.name}")
    if words[0] != MAGIC:
        raise GameforgeError(f"{data}: not a file of morris endings of this version")
    if not np.array_equal(words[: table_words(about.men)], tables(about.men, MorrisUnits(about.men).starts)):
        raise GameforgeError(f"{data}: damaged, its tables are not those of {about.men} men")
    return Database(manifest, about.men, words, about.subspaces)


def _manifest_at(path: Path) -> Path:
    if not path.exists():
        raise GameforgeError(f"{path}: no such file or folder")
    if not path.is_dir():
        return path
    found = sorted(path.glob("morris*.json"))
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "no morris*.json"
        raise GameforgeError(f"{path}: the folder holds {names}; give one manifest")
    return found[0]


@kernel
def _men_of(t: Any, number: Any, a: Any, b: Any) -> Any:
    return men_of(t, number, a, b)


def _counted(subspace: Subspace, distances: Bytes, t: Words) -> Counts:
    is_won = (distances & 1 == 0) & (distances != 0)
    win, draw = int(np.count_nonzero(is_won)), int(np.count_nonzero(distances == 0))
    won = np.where(is_won, distances, 0)
    longest = int(won.argmax())
    a, b = np.uint64(subspace.own), np.uint64(subspace.opp)
    own, opp = _men_of(t, np.uint64(longest), a, b)
    return Counts(
        name=subspace.name,
        positions=subspace.size,
        win=win,
        loss=subspace.size - win - draw,
        draw=draw,
        longest_win=int(won[longest]) - 1,
        example=position_text(state_of(int(own), int(opp), 0, WHITE)),
    )


def _title(men: int) -> str:
    names = ", ".join(subspace.name for subspace in subspaces(men))
    return f"solving morris endings {names}"
