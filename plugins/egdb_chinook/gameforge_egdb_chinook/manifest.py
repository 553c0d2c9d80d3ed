"""The manifest beside a database that GameForge has built (FORMAT.md): what it holds, and its checksums."""

import hashlib
import json
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError

FORMAT = "gameforge egdb"
VERSION = 1
METRICS = ("wld", "dtw", "mtc")
_CHUNK = 1 << 20


@attrs.frozen
class KeptFile:
    name: str
    size: int
    sha256: str


@attrs.frozen
class Manifest:
    path: Path
    metric: str
    pieces: int
    positions: int
    origin: str
    files: tuple[KeptFile, ...]
    """The data file first."""
    slices: tuple[dict[str, Any], ...]
    """Records of the slices, in the order of the file."""


def read(path: Path) -> Manifest:
    """Raises GameforgeError if it is not the manifest of a database of draughts."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise GameforgeError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise GameforgeError(f"{path}: damaged, not a JSON file") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GameforgeError(f"{path}: not the manifest of an endgame database of GameForge")
    if content.get("game") != "draughts":
        raise GameforgeError(f"{path}: a database of {content.get('game')!r}, not of draughts")
    if content.get("version") != VERSION:
        raise GameforgeError(f"{path}: version {content.get('version')!r}; this GameForge reads version {VERSION}")
    try:
        manifest = Manifest(
            path,
            str(content["metric"]),
            int(content["pieces"]),
            int(content["positions"]),
            str(content["origin"]),
            tuple(KeptFile(str(f["name"]), int(f["bytes"]), str(f["sha256"])) for f in content["files"]),
            tuple(dict(record) for record in content["slices"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise GameforgeError(f"{path}: damaged, an entry is missing or of the wrong kind ({error})") from error
    if manifest.metric not in METRICS or not manifest.files:
        raise GameforgeError(f"{path}: damaged, metric {manifest.metric!r} with {len(manifest.files)} files")
    return manifest


def checksum(path: Path, size: int | None = None) -> str:
    """SHA-256 of a file, or of its first `size` bytes."""
    digest = hashlib.sha256()
    left = path.stat().st_size if size is None else size
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, _CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()


def check(manifest: Manifest) -> None:
    """Raises GameforgeError that names the file which is not what was built."""
    for kept in manifest.files:
        path = manifest.path.with_name(kept.name)
        try:
            size = path.stat().st_size
            if size != kept.size:
                damage = "truncated" if size < kept.size else "altered"
                raise GameforgeError(
                    f"{path}: {damage}, it has {size:,} bytes where {manifest.path.name} says {kept.size:,}"
                )
            if checksum(path) != kept.sha256:
                raise GameforgeError(f"{path}: damaged, its checksum is not the one in {manifest.path.name}")
        except FileNotFoundError:
            raise GameforgeError(f"{path}: missing, {manifest.path.name} names it") from None
        except OSError as error:
            raise GameforgeError(f"{path}: cannot be read ({error.strerror})") from error
