"""Check databases: quickly before Chinook's files are probed, so that damaged files are refused, and wholly on request.

Before files are probed (`check`):

* Files with a manifest (FORMAT.md) must have the checksums in it.
* If the index is a published one, the data must be the published data.
* In other files, the value of each quiet position must follow from those of its successors. All positions with up to
  5 pieces are checked, and SAMPLE positions of each larger slice. The sample finds damage that affects a whole slice,
  but hardly a single altered code. The cache folder remembers the checksum of a database that has passed, so this is
  done once.

`gameforge egdb verify` checks the checksums, the published files, and every value against the rules.
"""

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BOARD, STATE_WORDS
from gameforge_retrograde.database_files import cache_folder
from gameforge_retrograde.indexer import ByteArray, Unit

from gameforge import GameforgeError
from gameforge.interfaces import DRAW, LOSS, WIN, Announce
from gameforge.kernel import U0, UNKNOWN, Word, WordArray, at, inline, kernel
from gameforge_egdb_chinook import distances, manifest, solving
from gameforge_egdb_chinook.chinook_files import DataFile, check_codes
from gameforge_egdb_chinook.codes import code_table
from gameforge_egdb_chinook.file_block import quiet_value
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.manifest import Database, Manifest
from gameforge_egdb_chinook.probe import SPACE, exact_value, mover_can_capture, other_could_capture
from gameforge_egdb_chinook.slices import Slice
from gameforge_egdb_chinook.units import DraughtsUnits

_63 = np.uint64(63)

CHECKED_WHOLLY = 5
"""Maximum number of pieces of slices of which every position is checked; larger slices are sampled."""
SAMPLE = 4096
"""Number of positions that are checked in a slice that is sampled."""
_CHUNK = 1 << 15
"""Number of positions that one call of the kernel checks."""

_STATE_WORDS, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_SPACE_AT = np.uint64(2 * STATE_WORDS + movegen.MAX_MOVES)
_gen, _play = inline(movegen.gen), inline(movegen.play)


def check(
    files: Sequence[DataFile], block: WordArray, covered: Sequence[Slice], workers: int, announce: Announce
) -> None:
    """Check the files from which a block (file_block.py) was made. Raises GameforgeError that names a damaged file."""
    unknown = [file for file in files if not _has_checksum(file)]
    if not unknown:
        return
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.index_path.read_bytes()).digest())
        digest.update(hashlib.sha256(file.data[: file.size].data).digest())
    digest.update(str(max(s.pieces for s in covered)).encode())
    passed = cache_folder() / f"{digest.hexdigest()[:32]}.checked"
    if passed.exists():
        return
    _check_values(files, block, covered, workers, announce)
    with contextlib.suppress(OSError):  # if the folder cannot be written, the next start checks again
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()


def _has_checksum(file: DataFile) -> bool:
    """Whether a checksum of the file is known. Raises GameforgeError if the file does not match it."""
    path = file.data_path.with_name(file.data_path.name + ".json")
    if path.is_file() and manifest.is_manifest(path):
        found = manifest.read(path)
        if [kept.name for kept in found.files] != [file.data_path.name, file.index_path.name]:
            raise GameforgeError(f"{path}: the manifest of other files, not of {file.data_path.name}")
        manifest.check(found)
        return True
    return is_published(file)


def is_published(file: DataFile) -> bool:
    """Whether it is a published file. Raises GameforgeError if the index is a published one but the data is not."""
    published = manifest.official_of_index(hashlib.sha256(file.index_path.read_bytes()).hexdigest())
    if published is None:
        return False
    if hashlib.sha256(file.data[: published.size].data).hexdigest() != published.data:
        raise GameforgeError(
            f"{file.data_path}: altered, {file.index_path.name} is the index of {published.title}, "
            "but the data is not the published data"
        )
    return True


def _check_values(
    files: Sequence[DataFile], block: WordArray, covered: Sequence[Slice], workers: int, announce: Announce
) -> None:
    owners = {record.name: file for file in files for record in file.records}
    parts = []
    for number, s in enumerate(covered):
        step = 1 if s.pieces <= CHECKED_WHOLLY else max(1, s.size // SAMPLE)
        end = s.start + s.size
        parts += [
            (number, first, min(first + step * _CHUNK, end), step) for first in range(s.start, end, step * _CHUNK)
        ]

    def contradiction(part: tuple[int, int, int, int]) -> int:
        return int(_first_contradiction(block, *map(np.uint64, part)))

    what = f"checking the values of {files[0].index_path.name} (once)"
    if any(s.pieces > CHECKED_WHOLLY for s in covered):
        announce(
            f"{files[0].index_path}: no checksum is known; in each slice with more than {CHECKED_WHOLLY} pieces, only "
            f"{SAMPLE:,} values are checked now (gameforge egdb verify checks all)",
            0,
            0,
        )
    with ThreadPoolExecutor(workers) as pool:
        for done, (part, index) in enumerate(zip(parts, pool.map(contradiction, parts), strict=True), 1):
            if index != part[2]:
                s = covered[part[0]]
                raise GameforgeError(
                    f"{owners[s.name].data_path}: altered, the value of position {index - s.start} of the slice "
                    f"BASE{s.name} does not follow from those of its successors"
                )
            if done % 64 == 0 or done == len(parts):
                announce(what, done, len(parts))


@kernel
def _first_contradiction(block: WordArray, number: Word, first: Word, end: Word, step: Word) -> Word:
    """First index of a quiet position whose value does not follow from those of its successors, else `end`.

    Checks every `step`-th position of slice `number` from `first` on. Values that depend on uncovered positions pass.
    """
    od = at(block, U0)
    words = np.empty(_SPACE_AT + SPACE, np.uint64)
    s, child, moves, space = at(words, U0), at(words, _STATE_WORDS), at(words, _MOVES), at(words, _SPACE_AT)
    index = first
    while index < end:
        set_up(od, number, index, s)
        # Other positions have no value of their own in the files.
        if not mover_can_capture(s) and not other_could_capture(s):
            n = _gen(s, s, moves)
            lost = True
            won = unknown = False
            for i in range(n):
                _play(s, s, moves[i], child)
                value = exact_value(od, child, space, np.uint64(SPACE))
                if value == LOSS:
                    won = True
                    break
                unknown |= value == UNKNOWN
                lost &= value == WIN
            expected = WIN if won else LOSS if lost else DRAW
            if quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63) != expected and (won or not unknown):
                return index
        index += step
    return end


def check_bytes(database: Database) -> None:
    """Check the bytes of a database: checksums if it has a manifest, and the lengths of codes in any case.

    Raises a GameforgeError that names the damaged slice or, if it is not known, the damaged file.
    """
    if database.manifest is not None:
        try:
            if database.distances is None:
                manifest.check(database.manifest)
            else:
                distances.read(database.manifest.path)
        except GameforgeError:
            _name_slice(database.manifest)
            raise
    sizes = {s.name: s.size for s in database.slices}
    codes = code_table()
    for file in database.files:
        for record in file.records:
            check_codes(file, record, sizes.get(record.name, 0), codes)


def check_published(database: Database) -> None:
    """Raise GameforgeError, without naming a slice, if an index is a published one but its data is not."""
    for file in database.files:
        is_published(file)


def sound(database: Database, workers: int, announce: Announce) -> str:
    """Check every value of a database, and say how many there are; GameforgeError for the first slice that is wrong.

    Its bytes have been checked (`check_bytes`).
    """
    positions = sum(s.size for s in database.slices)
    check_values(database, workers, solving.running_total(announce, f"checking {Path(database.title).name}", positions))
    check_published(database)
    return f"{positions:,} values follow from those of their successors"


def _name_slice(found: Manifest) -> None:
    """Raise a GameforgeError that names the first slice whose checksum is not that of the manifest."""
    path = found.path.with_name(found.files[0].name)
    try:
        content = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError):
        return
    for record in found.slices:
        first, end = record["bytes"]
        if hashlib.sha256(content[first:end].data).hexdigest() != record["sha256"]:
            raise GameforgeError(f"{path}: damaged in the slice BASE{record['name']} (bytes {first:,} to {end:,})")


def published(database: Database) -> str | None:
    """Title of the published database to which the files are identical, None if there is none."""
    if len(database.files) != 1:
        return None
    (file,) = database.files
    found = manifest.official_of_index(manifest.checksum(file.index_path))
    if found is None or manifest.checksum(file.data_path, found.size) != found.data:
        return None
    return found.title


def check_values(database: Database, workers: int, progress: Callable[[int], None]) -> None:
    """Check that every value follows from those of its successors.

    Chinook's files do not hold positions with pending captures; these are first solved from the others. `progress` is
    called with numbers of checked positions. Raises a GameforgeError that names the slices with a wrong value.
    """
    units = DraughtsUnits(database.slices)
    check = _check_outcomes(database, units) if database.distances is None else _check_distances(database, units)
    with ThreadPoolExecutor(workers) as pool:
        for level in units.levels:
            for unit, names in zip(level, pool.map(check, level), strict=True):
                if names:
                    where = " and of ".join(names)
                    raise GameforgeError(
                        f"{database.title}: the value of {where} does not follow from those of its successors"
                    )
                progress(sum(units.sizes[n] for n in unit))


def _check_outcomes(database: Database, units: DraughtsUnits) -> Callable[[Unit], list[str]]:
    solver = solving.packed_solver(units)
    game = units.game_block(solver.places)

    def check(unit: Unit) -> list[str]:
        given = database.quiet_values(units, unit)
        solving.forget_captures(game, units.unit_block(unit), given)
        values = solver.outcomes(unit, given)
        solver.keep(unit, values)
        return [_named(*found) for found in solving.contradictions(units, game, solver.store, unit, values)]

    return check


def _check_distances(database: Database, units: DraughtsUnits) -> Callable[[Unit], list[str]]:
    assert database.distances is not None
    plies: ByteArray = np.asarray(np.memmap(database.distances, np.uint8, "r"))[distances.HEADER_BYTES :]
    game = units.game_block(units.starts)
    is_mtc = database.metric == "mtc"
    return lambda unit: [_named(*found) for found in solving.wrong_distances(units, game, plies, unit, is_mtc)]


def _named(s: Slice, index: int) -> str:
    return f"position {index} of the slice BASE{s.name}"
