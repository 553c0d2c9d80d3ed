"""Manifests: JSON files that say what a folder holds, and in which schema."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from gameforge.errors import GameforgeError
from gameforge.storage.atomic import write_json
from gameforge.storage.stored import parse_json, read_as

T = TypeVar("T")


@attrs.frozen
class ManifestFormat:
    """The manifest of one kind of folder: its file name, format and schema."""

    what: str
    """What such a folder holds, as messages call it, for example "run"."""
    file: str
    """Name of the manifest."""
    format: str
    """Distinguishes the manifest from other JSON files."""
    schema: int
    """Version of the folder's layout."""

    @property
    def a_what(self) -> str:
        """`what` with its indefinite article."""
        return f"{'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"

    def path(self, folder: Path) -> Path:
        """Return the path of a folder's manifest."""
        return folder / self.file

    def read(self, folder: Path) -> dict[str, Any]:
        """Read a manifest and check its format and schema; the rest is up to the caller.

        Raises GameforgeError if the manifest is missing or damaged, or if its format or schema differs.
        """
        path = self.path(folder)
        try:
            manifest = parse_json(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            raise GameforgeError(f"{folder} holds no {self.what}: there is no {self.file}") from None
        except OSError as error:
            raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
        except ValueError as error:
            raise GameforgeError(f"{path} is damaged: {error}") from error
        if not isinstance(manifest, dict) or manifest.get("format") != self.format:
            raise GameforgeError(f"{path} is not the manifest of {self.a_what}")
        if manifest.get("schema") != self.schema:
            raise GameforgeError(
                f"{path} has schema {manifest.get('schema')!r}; this GameForge reads schema {self.schema}"
            )
        return manifest

    def read_as(self, folder: Path, kind: type[T]) -> T:
        """Read a manifest as an attrs class (gameforge.storage.stored); GameforgeError as of `read`."""
        content = self.read(folder)
        try:
            return read_as(kind, content)
        except GameforgeError as error:
            raise GameforgeError(f"{self.path(folder)} is damaged: {error}") from error

    def write(self, folder: Path, content: Mapping[str, Any]) -> None:
        """Write or replace a manifest: format and schema, then the content."""
        write_json(self.path(folder), {"format": self.format, "schema": self.schema, **content})
