"""Folders of work that can be interrupted at any moment and resumed: runs, matches, experiments, examples.

A folder belongs to its work from its manifest on, which is the first file that is written. Before that, a kill can
only leave a temporary file, and such a folder counts as empty.
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
"""Characters of a value that are shown whole in a message."""


def _as_stored(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mapping as JSON gives it back: lists for tuples, text for what JSON does not know."""
    stored: Mapping[str, Any] = json.loads(json.dumps(content, default=str))
    return stored


@attrs.frozen(kw_only=True)
class Folder:
    """The folder of one piece of work; only one process at a time has it open.

    Every method that opens it raises GameforgeError if the folder cannot be written, or if another process has it open.
    """

    path: Path
    format: ManifestFormat
    identity: Mapping[str, Any] = attrs.field(factory=dict, converter=_as_stored)
    """What makes the work this one and no other: keys of the manifest, compared when it is resumed."""
    about: Mapping[str, Any] = attrs.field(factory=dict, converter=_as_stored)
    """What else the manifest says; never compared."""

    @contextlib.contextmanager
    def open_or_resume(self) -> Iterator[None]:
        """Create the folder, or resume the work in it."""
        is_new = not self.format.path(self.path).exists()
        with self.create() if is_new else self.resume():
            yield

    @contextlib.contextmanager
    def create(self) -> Iterator[None]:
        """Make the folder and write its manifest; GameforgeError if the folder exists and is not empty.

        If the work raises before anything but empty files and folders got into it, all that was made is removed.
        """
        if self.path.exists() and not self.path.is_dir():
            raise GameforgeError(f"{self.path} is a file; {self.format.a_what} needs a folder of its own")
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
                    with contextlib.suppress(OSError):  # what is not empty stays
                        folder.rmdir()
                raise

    @contextlib.contextmanager
    def resume(self) -> Iterator[None]:
        """Open an existing folder; GameforgeError if it holds no such work, or another one."""
        self.format.read(self.path)
        with self._os_errors(), locked(self.path):
            manifest = self.format.read(self.path)
            there = {key: manifest.get(key) for key in self.identity}
            require_same(self.path, self.format.what, there, self.identity)
            remove_temporaries(self.path)
            yield

    def write(self, **more: Any) -> None:
        """Write the manifest: what it is about, its identity, and more."""
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


def require_same(folder: Path, what: str, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Raise GameforgeError that names the first difference between what a folder holds and what is to be resumed."""
    for key, (old, new) in differences([there, here]).items():
        raise GameforgeError(
            f"the folder {folder} holds another {what}: {key} is {brief(old)} there and {brief(new)} here; "
            "choose another folder"
        )


def brief(value: Any) -> str:
    """A value of a manifest for a message, shortened."""
    text = json.dumps(value)
    return "not set" if value is None else text if len(text) < _LONG_VALUE else f"{text[: _LONG_VALUE - 20]}..."


def remove_temporaries(folder: Path) -> None:
    """Remove what kills left half-written in a folder that this process has locked, and in those inside it.

    Inner folders that another process is writing are left alone.
    """
    for path in folder.rglob(".*.tmp"):
        inner = [folder / parent for parent in path.relative_to(folder).parents if parent.parts]
        if is_temporary(path) and not any(is_busy(parent) for parent in inner):
            path.unlink(missing_ok=True)
