"""Find the databases in a folder, built by GameForge or published, for the commands verify, info and stats."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from gameforge_retrograde.indexer import ByteArray, Unit

from gameforge import GameforgeError
from gameforge_egdb_chinook import chinook_files, manifest
from gameforge_egdb_chinook.chinook_files import DataFile, covered_slices
from gameforge_egdb_chinook.codes import decode
from gameforge_egdb_chinook.manifest import Manifest
from gameforge_egdb_chinook.slices import Slice, slices
from gameforge_egdb_chinook.units import DraughtsUnits


@attrs.frozen
class Database:
    """One database: its manifest if it has one, and its files in Chinook's format or its file of distances."""

    title: str
    """Path of the data file."""
    metric: str
    manifest: Manifest | None
    files: Sequence[DataFile]
    """Empty if the database holds distances."""
    slices: Sequence[Slice]
    distances: Path | None
    """The file of distances; None for Chinook's format."""

    def quiet_values(self, units: DraughtsUnits, unit: Unit) -> ByteArray:
        """Values of a unit as stored in Chinook's files; they are meaningless where either side could capture."""
        owners = {record.name: (file, record) for file in self.files for record in file.records}
        parts = []
        for number in unit:
            file, record = owners[units.slices[number].name]
            size = units.sizes[number]
            if record.positions:
                parts.append(decode(file.data, record.start, record.end, record.default, size))
            else:
                parts.append(np.full(size, record.default, np.uint8))
        return np.concatenate(parts)


def databases(path: Path) -> list[Database]:
    """All databases in a folder, or the one that a manifest or index file describes.

    Raises GameforgeError if there is none, or if one is damaged.
    """
    if not path.exists():
        raise GameforgeError(f"{path}: no such file or folder")
    if path.is_dir():
        files = sorted(path.iterdir())
        found = [_described(file) for file in files if file.suffix == ".json" and manifest.is_manifest(file)]
        known = {file.name for database in found if database.manifest for file in database.manifest.files}
        found += [_published(file) for file in files if file.suffix.lower() == ".idx" and file.name not in known]
        orphans = [file for file in files if file.suffix == ".egdb" and file.name not in known]
        if orphans and not found:
            raise GameforgeError(f"{orphans[0]}: its manifest {orphans[0].stem}.json is missing")
        if not found:
            raise GameforgeError(f"{path}: holds no endgame databases")
        return found
    if path.suffix == ".json":
        return [_described(path)]
    beside = path.with_suffix(".json")
    return [_described(beside) if beside.exists() else _published(path)]


def _described(path: Path) -> Database:
    """The database of a manifest."""
    found = manifest.read(path)
    data = path.with_name(found.files[0].name)
    if found.metric != "wld":
        return _checked(Database(str(data), found.metric, found, (), slices(found.pieces), data))
    files = chinook_files.read(path.with_name(found.files[1].name))
    return _checked(Database(str(data), found.metric, found, files, covered_slices(files), None))


def _checked(database: Database) -> Database:
    """Return the database. Raises GameforgeError if its manifest does not list its slices."""
    assert database.manifest is not None
    if {record["name"] for record in database.manifest.slices} != {s.name for s in database.slices}:
        raise GameforgeError(f"{database.manifest.path}: damaged, its slices are not those of {database.title}")
    return database


def _published(path: Path) -> Database:
    """The database of an index file without a manifest."""
    files = chinook_files.read(path)
    return Database(str(files[0].data_path), "wld", None, files, covered_slices(files), None)
