"""Folders of work that can be interrupted at any moment and resumed: runs, matches, experiments, examples.

The manifest is written first; from then on the folder belongs to its work. A process that is killed before that leaves
at most a temporary file, and such a folder counts as empty.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.storage.atomic import is_temporary
from gameforge.storage.differences import differences
from gameforge.storage.folder_lock import is_busy, locked
from gameforge.storage.manifest import ManifestFormat

_LONG_VALUE = 80
"""Length, in characters, from which a value is shortened in a message."""


def _as_stored(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a mapping as it comes back from JSON: tuples become lists, and values unknown to JSON become text."""
    stored: Mapping[str, Any] = json.loads(json.dumps(content, default=str))
    return stored


def require_folder(path: Path, *, new: bool = False) -> None:
    """Raise GameforgeError unless this is a folder; new: one that does not exist yet will do."""
    if path.is_dir() or (new and not path.exists()):
        return
    raise GameforgeError(f"{path} is a file; name a folder" if path.exists() else f"the folder {path} does not exist")


@attrs.frozen(kw_only=True)
class Folder:
    """The folder of one piece of work; only one process at a time can have it open.

    Every method that opens it raises GameforgeError if the folder cannot be written, or if another process has it open.
    """

    path: Path
    """Where it is."""
    format: ManifestFormat
    """The format of its manifest."""
    identity: Mapping[str, Any] = attrs.field(factory=dict, converter=_as_stored)
    """Entries of the manifest that identify the work; they are compared when it is resumed."""
    about: Mapping[str, Any] = attrs.field(factory=dict, converter=_as_stored)
    """Further entries of the manifest, which are not compared."""

    @contextlib.contextmanager
    def open_or_resume(self) -> Iterator[None]:
        """Create the folder, or resume the work in it."""
        is_new = not self.format.path(self.path).exists()
        with self.create() if is_new else self.resume():
            yield

    @contextlib.contextmanager
    def create(self) -> Iterator[None]:
        """Create the folder and write its manifest; GameforgeError if the folder exists and is not empty.

        If the work raises before it has written anything but empty files and folders, everything is removed again.
        """
        require_folder(self.path, new=True)
        with self._os_errors():
            made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                with locked(self.path):
                    self._require_empty()
                    remove_temporaries(self.path)
                    try:
                        self.write()
                        yield
                    except BaseException:
                        self._discard_if_nothing_was_kept()
                        raise
            except BaseException:
                for folder in made:
                    with contextlib.suppress(OSError):  # folders that are not empty stay
                        folder.rmdir()
                raise

    @contextlib.contextmanager
    def resume(self) -> Iterator[None]:
        """Open an existing folder to resume its work; GameforgeError if it holds none, or work of another identity."""
        self.format.read(self.path)
        with self._os_errors(), locked(self.path):
            manifest = self.format.read(self.path)
            stored = {key: manifest.get(key) for key in self.identity}
            require_same(self.path, self.format.what, stored, self.identity)
            remove_temporaries(self.path)
            yield

    def write(self, **more: Any) -> None:
        """Write the manifest: `about`, `identity`, and further entries."""
        self.format.write(self.path, {**self.about, **self.identity, **more})

    def _require_empty(self) -> None:
        if any(not is_temporary(entry) for entry in self.path.iterdir()):
            what = f"another {self.format.what}" if self.format.path(self.path).exists() else "other files"
            raise GameforgeError(f"the folder {self.path} already holds {what}; choose another folder")

    def _discard_if_nothing_was_kept(self) -> None:
        with contextlib.suppress(OSError):
            manifest = self.format.path(self.path)
            entries = sorted(set(self.path.rglob("*")) - {manifest}, reverse=True)  # inner ones come first
            if any(entry.is_file() and entry.stat().st_size for entry in entries):
                return
            for entry in [*entries, manifest]:
                if entry.is_dir():
                    entry.rmdir()
                else:
                    entry.unlink()

    @contextlib.contextmanager
    def _os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise GameforgeError(
                f"cannot write the {self.format.what} folder {self.path}: {error.strerror or error}"
            ) from error


def require_same(folder: Path, what: str, stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise GameforgeError, with the first difference, if a folder holds other work than the one to be resumed."""
    for key, (old, new) in differences([stored, wanted]).items():
        raise GameforgeError(
            f"the folder {folder} holds another {what}: {key} is {brief(old)} there and {brief(new)} here; "
            "choose another folder"
        )


def brief(value: Any) -> str:
    """Return a value of a manifest as text for a message, shortened if it is long."""
    text = json.dumps(value)
    return "not set" if value is None else text if len(text) < _LONG_VALUE else f"{text[: _LONG_VALUE - 20]}..."


def remove_temporaries(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder, which this process has locked.

    Subfolders are searched, too, except those to which another process is writing.
    """
    for path in folder.rglob(".*.tmp"):
        inner = [folder / parent for parent in path.relative_to(folder).parents if parent.parts]
        if is_temporary(path) and not any(is_busy(parent) for parent in inner):
            path.unlink(missing_ok=True)
