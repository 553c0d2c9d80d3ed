"""Manifests of endgame databases: JSON files that describe the files beside them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import attrs

from gameforge.errors import GameforgeError
from gameforge.kernel.compile.jit import cache_root
from gameforge.storage.stored import file_name, parse_json, read_as

T = TypeVar("T")

FORMAT, VERSION = "gameforge egdb", 1
"""What every manifest says of itself, and the version that this GameForge writes and reads."""


@attrs.frozen
class KeptFile:
    """A file of the database, as the manifest lists it."""

    name: str = attrs.field(validator=file_name)
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
        content = parse_json(path.read_bytes())
    except OSError as error:
        raise GameforgeError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise GameforgeError(f"{path}: damaged, not a JSON file ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GameforgeError(f"{path}: not the manifest of an endgame database of GameForge")
    return content


def read_entries(path: Path, content: dict[str, Any], kind: type[T]) -> T:
    """Read the content of a manifest as an attrs class. Raises GameforgeError if its version or an entry is wrong."""
    if content.get("version") != VERSION:
        raise GameforgeError(f"{path}: version {content.get('version')!r}; this GameForge reads {VERSION}")
    try:
        return read_as(kind, content)
    except ValueError as error:
        raise GameforgeError(f"{path}: damaged ({error})") from error
