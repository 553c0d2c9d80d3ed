"""What vouches for the bytes of a database, and which databases a folder holds.

A manifest says what a database of GameForge holds (FORMAT.md). Chinook's published files have none, so their checksums
are listed here. DB6 lists slices by number of pieces, so the part with fewer pieces is a prefix of the file and has a
checksum, too. Only the bytes of codes count: db4 is padded with meaningless bytes.

`databases` finds both kinds in a folder, for the commands verify, info and stats.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from gameforge_retrograde.database_files import FORMAT, VERSION, KeptFile, read_content
from gameforge_retrograde.indexer import ByteArray, Unit

from gameforge import GameforgeError
from gameforge.storage import stored
from gameforge_egdb_chinook import chinook_files
from gameforge_egdb_chinook.chinook_files import DataFile, covered_slices
from gameforge_egdb_chinook.codes import decode
from gameforge_egdb_chinook.slices import MAX_PIECES, Slice, slices
from gameforge_egdb_chinook.units import DraughtsUnits

FILES = {"wld": 2, "dtw": 1, "mtc": 1}
"""Number of files of a database, by metric."""
_CHUNK = 1 << 20
_SLICE = re.compile(r"[0-7]{4}\.[0-6]{2}")
_COUNTS = ("positions", "win", "loss", "draw")
_LONGEST = ("longest_win", "longest_loss")


@attrs.frozen(kw_only=True)
class Manifest:
    """A parsed manifest."""

    path: Path
    metric: str
    pieces: int
    positions: int
    origin: str
    files: tuple[KeptFile, ...]
    """Data file first."""
    slices: tuple[dict[str, Any], ...]
    """Records of the slices, in the order of the file."""


def read(path: Path) -> Manifest:
    """Read a manifest. Raises GameforgeError if it is damaged or not the manifest of a database of draughts."""
    content = read_content(path)
    if content.get("game") != "draughts":
        raise GameforgeError(f"{path}: describes a database of {content.get('game')!r}; expected draughts")
    if content.get("version") != VERSION:
        raise GameforgeError(f"{path}: version {content.get('version')!r}; this GameForge reads version {VERSION}")
    try:
        manifest = stored.read_as(Manifest, {**content, "path": path})
        for record in manifest.slices:
            _check_slice(record)
    except (GameforgeError, KeyError, TypeError, ValueError) as error:
        raise GameforgeError(f"{path}: damaged, an entry is missing or has the wrong type ({error})") from error
    if FILES.get(manifest.metric) != len(manifest.files):
        raise GameforgeError(f"{path}: damaged, it lists metric {manifest.metric!r} with {len(manifest.files)} files")
    if not 2 <= manifest.pieces <= MAX_PIECES:
        raise GameforgeError(f"{path}: damaged, pieces is {manifest.pieces}, it must be from 2 to {MAX_PIECES}")
    return manifest


def is_manifest(path: Path) -> bool:
    """Whether a JSON file is a manifest, as opposed to any other JSON file in the folder.

    A file that is not valid JSON counts as a (damaged) manifest if there is a data file beside it.
    """
    try:
        content = stored.parse_json(stored.read_file(path))
    except (OSError, ValueError):
        return path.with_suffix("").is_file() or path.with_suffix(".egdb").is_file()
    return isinstance(content, dict) and content.get("format") == FORMAT


def _check_slice(record: dict[str, Any]) -> None:
    """Raise KeyError, TypeError or ValueError if the record of a slice is not as in FORMAT.md."""
    if not _SLICE.fullmatch(record["name"]):
        raise ValueError(f"there is no slice {record['name']!r}")
    first, end = record["bytes"]
    kinds = [(record[key], int) for key in _COUNTS] + [(first, int), (end, int), (record["sha256"], str)]
    kinds += [(record[key], int) for key in _LONGEST if record[key] is not None]
    if record["example"] is not None:
        kinds.append((record["example"], str))
    if not all(isinstance(value, kind) for value, kind in kinds) or not 0 <= first <= end:
        raise ValueError(f"the slice {record['name']}")


def checksum(path: Path, size: int | None = None) -> str:
    """SHA-256 of a file, or of its first `size` bytes."""
    digest = hashlib.sha256()
    left = path.stat().st_size if size is None else size
    with stored.open_file(path) as file:
        while left > 0 and (chunk := file.read(min(left, _CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()


def check(manifest: Manifest) -> None:
    """Compare the files with the manifest. Raises a GameforgeError that names the first missing or damaged file."""
    for kept in manifest.files:
        path = manifest.path.with_name(kept.name)
        try:
            size = path.stat().st_size
            if size != kept.bytes:
                damage = "truncated" if size < kept.bytes else "altered"
                raise GameforgeError(
                    f"{path}: {damage}, it has {size:,} bytes; by {manifest.path.name} it must have {kept.bytes:,}"
                )
            if checksum(path) != kept.sha256:
                raise GameforgeError(f"{path}: damaged, its checksum is not the one in {manifest.path.name}")
        except FileNotFoundError:
            raise GameforgeError(f"{path}: missing, although {manifest.path.name} lists it") from None
        except OSError as error:
            raise GameforgeError(f"{path}: cannot be read ({error.strerror})") from error


@attrs.frozen
class Official:
    """A published database, or its slices with the fewest pieces, which are a prefix of the file."""

    title: str
    size: int
    """Number of bytes of codes."""
    data: str
    """SHA-256 of the codes."""
    index: str
    """SHA-256 of the index."""


OFFICIAL = (
    Official(
        "Chinook db4",
        223_695,
        "3f55d5bdcf4c3c7f65a9bb58e3a71c65c82708b0cd6d68aa182d2cce8f1b3fa4",
        "5e01e15e97bd1bc1d3e03f49b345934b6ce38cfdab9fc5c1c7a2ca81cfebbe7c",
    ),
    Official(
        "Chinook DB6, first 3 pieces",
        1_790,
        "e39960aa3aae3e8de0a6fa0ef3cca3232220cc104b4a8fb3f2be491269fc7c65",
        "807e997cc78b3cfef3b92faf0ecc2658cbaa61cbea5f063a444446c5eaa39044",
    ),
    Official(
        "Chinook DB6, first 4 pieces",
        225_633,
        "0bd4322678358c7d97097052fa1ffd724bb348a7c8fd77cf002decaaa5233634",
        "1f70339584808079bf15ee14345100eec2d0762ad4de290ccb5d2acb9e8de1bb",
    ),
    Official(
        "Chinook DB6, first 5 pieces",
        1_685_093,
        "53300d31edb483331c8368056e31b5a3791613b1d3a19902c85ee2c4c011e6a0",
        "07e171563df21c72350fe2bd28252a54948dea6111bd5675259b233bc24f8aa0",
    ),
    Official(
        "Chinook DB6",
        48_132_029,
        "baee42a2b49390edd96e5a751189366275619c941d79021f3ca45774c3e7071f",
        "10cb5cfc2a8c67e18c322563c17ceef0adeac87786a16c767c4616e9a574f4fd",
    ),
)


def official_of_index(sha256: str) -> Official | None:
    """The published database whose index has this checksum, None if there is none."""
    return next((official for official in OFFICIAL if official.index == sha256), None)


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
        found = [_described(file) for file in files if file.suffix == ".json" and is_manifest(file)]
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
    found = read(path)
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
