"""A database of distances: one file, which is the block that kernels read, and a manifest in JSON.

`russian4.egdb`: the tables of numbers.py, then one byte for each position, by number: 1 + plies to the end of the game,
or 0 for a draw. The side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.
`russian4.json`: the game, its deciding settings, the counts of each slice, and the checksum of the file.
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
from gameforge_draughts_family.board import STATE_WORDS
from gameforge_draughts_family.endgames.numbers import MAGIC, Words, set_up, tables
from gameforge_draughts_family.endgames.slices import LEAST_PIECES, MOST_PIECES, Slice, deciding, require_endings
from gameforge_draughts_family.endgames.units import FamilyUnits, code
from gameforge_draughts_family.positions import FamilyPositions
from gameforge_draughts_family.rules import FamilyRules
from gameforge_draughts_family.variant import Variant

Bytes = NDArray[np.uint8]
FORMAT, VERSION = "gameforge egdb", 1


@attrs.frozen
class Counts:
    """Numbers of positions in a slice by value, for the side to move."""

    name: str
    """The pieces of the side to move, then the opponent's, such as KK-KM."""
    pieces: int
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int
    """In plies; 0 if no position is won."""
    example: str
    """A position with the longest win, with White to move; empty if no position is won."""


@attrs.frozen
class _File:
    name: str = attrs.field(validator=file_name)
    bytes: int
    sha256: str


def _check_pieces(instance: Any, attribute: Any, value: int) -> None:
    if not LEAST_PIECES <= value <= MOST_PIECES:
        raise ValueError(f"pieces = {value}: must be from {LEAST_PIECES} to {MOST_PIECES}")


@attrs.frozen
class _Manifest:
    pieces: int = attrs.field(validator=_check_pieces)
    file: _File
    slices: tuple[Counts, ...]


@attrs.frozen
class Database:
    """A database that was read: `words` is the file, mapped into memory."""

    path: Path
    """Path of the manifest."""
    variant: Variant
    """The deciding settings."""
    pieces: int
    words: Words
    counts: tuple[Counts, ...]
    sha256: str

    @property
    def units(self) -> FamilyUnits:
        """The slices, in their order."""
        return FamilyUnits(self.variant, self.pieces)

    @property
    def distances(self) -> Bytes:
        """The bytes of all positions, by number."""
        return self.words[_table_words(self.variant, self.pieces) :].view(np.uint8)


def folder() -> Path:
    """Return the folder of databases without a path of their own; GAMEFORGE_CACHE (environment) moves it."""
    return cache_root().parent / "egdb"


def stem(rules: FamilyRules, pieces: int) -> str:
    """Return the name of a database's files without their endings."""
    variant = deciding(rules.settings())
    own = hashlib.sha256(_settings_text(variant).encode()).hexdigest()[:8]
    return f"{rules.name}{f'-{own}-' if rules.name == 'draughts-variant' else ''}{pieces}"


def build(rules: FamilyRules, pieces: int, out: Path, announce: Announce = silent, workers: int = 1) -> Path:
    """Solve all positions with up to `pieces` pieces and write the files; return the path of the manifest.

    Existing files are replaced, and temporary files that killed builds left are removed. The files do not depend on
    the number of workers, which are threads. Raises GameforgeError if the endings of these rules cannot be solved, and
    if the files cannot be written.
    """
    require_endings(rules)
    name = stem(rules, pieces)
    units = FamilyUnits(rules.settings(), pieces)
    total = units.starts[-1]
    require_disk(out, total, f"building {name}")
    require_memory(3 * total, f"building {name}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    head = tables(units.variant, pieces)
    content = np.zeros(len(head) + -(-total // 8), np.uint64)
    content[: len(head)] = head
    distances = content[len(head) :].view(np.uint8)
    _solve(units, distances, lambda done: announce(f"solving {name}", done, total), workers)
    counts = [
        _counted(rules, s, distances[start : start + s.size], content)
        for s, start in zip(units.slices, units.starts, strict=False)
    ]
    data, manifest = out / f"{name}.egdb", out / f"{name}.json"
    about = {
        "format": FORMAT,
        "version": VERSION,
        "game": rules.name,
        "settings": _settings(units.variant),
        "pieces": pieces,
        "positions": total,
        "file": {"name": data.name, "bytes": content.nbytes, "sha256": hashlib.sha256(content.data).hexdigest()},
        "slices": [attrs.asdict(count) for count in counts],
    }
    try:
        with locked(out, wait=True):
            remove_temporaries_of((data, manifest))
            write_atomically(data, content.tobytes())
            write_atomically(manifest, json.dumps(about, indent=1).encode() + b"\n")
    except OSError as error:
        raise _unwritable(out, error) from error
    return manifest


def _solve(units: FamilyUnits, distances: Bytes, progress: Any, workers: int) -> None:
    solver = Solver(units, distances, units.starts)
    done = 0

    def solve(unit: Unit) -> None:
        near, first = solver.dtw(unit), 0
        for n in unit:
            start, size = units.starts[n], units.sizes[n]
            distances[start : start + size] = near[first : first + size]
            first += size

    def finished(positions: int) -> None:
        nonlocal done
        done += positions
        progress(done)

    progress(0)
    solver.run(solve, workers, finished)


def _unwritable(path: Path, error: OSError) -> GameforgeError:
    return GameforgeError(f"{error.filename or path}: cannot be written ({error.strerror})")


def read(path: Path, rules: FamilyRules) -> Database:
    """Read the database of a folder or manifest for a game.

    Raises GameforgeError if there is none, if it is of another game, and if a file is damaged.
    """
    require_endings(rules)
    variant = deciding(rules.settings())
    manifest = _manifest_at(path)
    about = _about(manifest, rules.name, variant)
    data, size = manifest.with_name(about.file.name), about.file.bytes
    head = tables(variant, about.pieces)
    if size != 8 * (len(head) + -(-FamilyUnits(variant, about.pieces).starts[-1] // 8)):
        raise GameforgeError(f"{manifest}: damaged (a file of {size:,} bytes is not one of {about.pieces} pieces)")
    try:
        if data.stat().st_size != size:
            raise GameforgeError(f"{data}: {data.stat().st_size:,} bytes, but {manifest.name} says {size:,}")
        words = np.asarray(np.memmap(data, np.uint64, "c"))  # copy on write: kernels need a writable block
    except (OSError, ValueError) as error:
        raise GameforgeError(f"{data}: cannot be read ({error})") from error
    if hashlib.sha256(words.data).hexdigest() != about.file.sha256:
        raise GameforgeError(f"{data}: damaged, its checksum is not the one in {manifest.name}")
    if words[0] != MAGIC:
        raise GameforgeError(f"{data}: not a file of draughts endings of this version")
    if not np.array_equal(words[: len(head)], head):
        raise GameforgeError(f"{data}: damaged, its tables are not those of {about.pieces} pieces")
    return Database(manifest, variant, about.pieces, words, about.slices, about.file.sha256)


def _about(manifest: Path, name: str, variant: Variant) -> _Manifest:
    """Read a manifest; raise GameforgeError if it is damaged, or of a database with other settings than `variant`."""
    try:
        content = parse_json(manifest.read_bytes())
    except OSError as error:
        raise GameforgeError(f"{manifest}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise GameforgeError(f"{manifest}: damaged ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GameforgeError(f"{manifest}: not the manifest of an endgame database of GameForge")
    _require_game(manifest, content.get("game"), content.get("settings"), name, variant)
    if content.get("version") != VERSION:
        raise GameforgeError(f"{manifest}: version {content.get('version')!r}; this GameForge reads {VERSION}")
    try:
        return read_as(_Manifest, content)
    except ValueError as error:
        raise GameforgeError(f"{manifest}: damaged ({error})") from error


def _require_game(manifest: Path, game: Any, found: Any, name: str, variant: Variant) -> None:
    """Raise GameforgeError if a database has other settings than the rules; the name of the game does not matter."""
    wanted = _settings(variant)
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise GameforgeError(f"{manifest}: the database is of {game!r}, not of {name}")
    others = [f"{key}={found[key]} instead of {wanted[key]}" for key in wanted if found[key] != wanted[key]]
    if others:
        raise GameforgeError(f"{manifest}: the database is of {game!r}, not of {name}: it has {', '.join(others)}")


def _settings(variant: Variant) -> dict[str, Any]:
    """Return the deciding settings, by the names under which a user sets them."""
    return {field.alias or field.name: getattr(variant, field.name) for field in attrs.fields(Variant)}


def _settings_text(variant: Variant) -> str:
    return json.dumps(_settings(variant), sort_keys=True)


def _table_words(variant: Variant, pieces: int) -> int:
    return len(tables(variant, pieces))


def _manifest_at(path: Path) -> Path:
    if not path.exists():
        raise GameforgeError(f"{path}: no such file or folder")
    if not path.is_dir():
        return path
    found = sorted(manifest for manifest in path.glob("*.json") if manifest.with_suffix(".egdb").exists())
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "no .egdb file with a manifest"
        raise GameforgeError(f"{path}: the folder holds {names}; give one manifest")
    return found[0]


@kernel
def _set_up(t: Any, number: Any, material: Any, s: Any) -> None:
    set_up(t, number, material, s)


def state_at(words: Words, s: Slice, number: int) -> tuple[int, ...]:
    """Return the state with this number in a slice, with White to move. words: the tables."""
    state = np.zeros(STATE_WORDS, np.uint64)
    _set_up(words, np.uint64(number), np.uint64(code(s.material)), state)
    return tuple(int(word) for word in state)


def _counted(rules: FamilyRules, s: Slice, distances: Bytes, words: Words) -> Counts:
    is_won = (distances & 1 == 0) & (distances != 0)
    win, draw = int(np.count_nonzero(is_won)), int(np.count_nonzero(distances == 0))
    won = np.where(is_won, distances, 0)
    longest = int(won.argmax())
    example = FamilyPositions(rules.settings()).position_text(state_at(words, s, longest)) if win else ""
    return Counts(
        name=s.name,
        pieces=s.pieces,
        positions=s.size,
        win=win,
        loss=s.size - win - draw,
        draw=draw,
        longest_win=int(won[longest]) - 1 if win else 0,
        example=example,
    )
