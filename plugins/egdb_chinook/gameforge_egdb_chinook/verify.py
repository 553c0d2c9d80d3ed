"""Verify a database: its checksums, the published files, and every value against the rules."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from gameforge_retrograde.indexer import ByteArray, Unit

from gameforge import GameforgeError
from gameforge_egdb_chinook import distances, manifest, solving
from gameforge_egdb_chinook.chinook_files import check_codes
from gameforge_egdb_chinook.codes import code_table
from gameforge_egdb_chinook.databases import Database
from gameforge_egdb_chinook.manifest import Manifest
from gameforge_egdb_chinook.slices import Slice
from gameforge_egdb_chinook.soundness import is_published
from gameforge_egdb_chinook.units import DraughtsUnits


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
