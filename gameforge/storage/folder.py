"""Folders of work that can be interrupted at any moment and resumed: runs, matches, experiments, examples.

The manifest, a JSON file that says what a folder holds and in which schema, is written first; from then on the folder
belongs to its work. A process that is killed before that leaves at most a temporary file, and such a folder counts as
empty.

Only one process at a time writes to a folder. The operating system locks the folder itself: there is no lock file, and
the lock ends with the process, however that ends. Outside Unix, and on file systems that do not lock folders, such as
NFS, nothing is locked.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import attrs

from gameforge.config import flat
from gameforge.config.outside import MOST_SETTINGS, open_file, read_file, require_path, require_shallow
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.locks import LOCKS, holder_text, in_brackets, try_lock, wait_for_lock
from gameforge.storage.files import is_temporary, write_json
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
    log: str = ""
    """Name of a file that gets a line for each step of the work; "": there is none."""
    step: str = ""
    """What such a step is, for example "session"."""

    @property
    def a_what(self) -> str:
        """`what` with its indefinite article."""
        return f"{'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"

    def path(self, folder: Path) -> Path:
        """Return the path of a folder's manifest."""
        return folder / self.file

    def progress(self, folder: Path) -> str:
        """Return how far the work in a folder is, for example "12 sessions so far"; "" if there is no log."""
        if not self.log:
            return ""
        try:
            with open_file(folder / self.log) as file:
                steps = sum(1 for _ in file)
        except OSError:
            return ""
        return f"{steps:,} {self.step}{'' if steps == 1 else 's'} so far"

    def read(self, folder: Path) -> dict[str, Json]:
        """Read a manifest and check its format and schema; the rest is up to the caller.

        Raises GameforgeError if the manifest is missing or damaged, or if its format or schema differs.
        """
        path = self.path(folder)
        try:
            manifest = parse_json(read_file(path, MOST_SETTINGS))
            require_shallow(manifest)
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

    def write(self, folder: Path, content: Mapping[str, Json]) -> None:
        """Write or replace a manifest: format and schema, then the content, then the digest of all that."""
        whole = {"format": self.format, "schema": self.schema, **content}
        whole.pop(_DIGEST, None)
        write_json(self.path(folder), {**whole, _DIGEST: _digest_of(json.loads(json.dumps(whole)))})

    def require_unaltered(self, folder: Path) -> None:
        """Raise GameforgeError if a manifest is not as GameForge wrote it; one without a digest is older than digests.

        Loading does not ask this: whoever edits a manifest by hand may use it, but not as evidence.
        """
        manifest = self.read(folder)
        if manifest.pop(_DIGEST, None) not in (None, _digest_of(manifest)):
            raise GameforgeError(f"{self.path(folder)} was altered after it was written: its checksum is wrong")


_DIGEST = "digest"
"""The last entry of a manifest."""


def _digest_of(manifest: Mapping[str, Json]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


_LOOK = 0.1
"""Seconds after which `locked` tries again, because `is_busy` may hold the lock for a moment."""


class FolderInUse(GameforgeError):
    """Another process is writing to a folder."""

    def __init__(self, folder: Path, holder: str, progress: str = "") -> None:
        super().__init__(f"{folder}: {holder} is writing there{in_brackets(progress)}; wait until it has ended")


@contextlib.contextmanager
def locked(folder: Path, *, wait: bool = False, progress: Callable[[], str] = str) -> Iterator[None]:
    """Lock a folder. If another process holds its lock, wait for it, or raise FolderInUse, which names the process.

    progress: returns how far that process is; "": unknown. A wait of more than a second is logged. Raises
    FileNotFoundError if there is no such folder.
    """
    if not LOCKS:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if wait:
            wait_for_lock(descriptor, f"writes to {folder}", progress)
        elif not try_lock(descriptor):
            time.sleep(_LOOK)
            if not try_lock(descriptor):
                raise FolderInUse(folder, holder_text(os.fstat(descriptor)), progress())
        yield
    finally:
        os.close(descriptor)


def is_busy(folder: Path) -> bool:
    """Return whether a process holds the lock of this folder now.

    It is asked for a shared lock, so that two processes that ask at once do not mistake each other for a writer.
    """
    if not LOCKS:
        return False
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not try_lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


_LONG_VALUE = 80
"""Length, in characters, from which a value is shortened in a message."""


def _as_stored(content: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return a mapping as it comes back from JSON: tuples become lists, and values unknown to JSON become text."""
    stored: Mapping[str, Json] = json.loads(json.dumps(content, default=str))
    return stored


def require_folder(path: Path, *, new: bool = False) -> None:
    """Raise GameforgeError unless this is a folder; new: one that does not exist yet will do, if it can exist."""
    require_path(path, new=new)
    if path.is_dir() or (new and not os.path.lexists(path)):
        return
    if path.is_symlink() and not path.exists():
        raise GameforgeError(f"{path} is a symbolic link to a folder that does not exist")
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
    identity: Mapping[str, Json] = attrs.field(factory=dict, converter=_as_stored)
    """Entries of the manifest that identify the work; they are compared when it is resumed."""
    about: Mapping[str, Json] = attrs.field(factory=dict, converter=_as_stored)
    """Further entries of the manifest, which are not compared."""

    @contextlib.contextmanager
    def open_or_resume(self) -> Iterator[None]:
        """Create the folder, or resume the work in it."""
        require_path(self.path)
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
                with self._locked():
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
        with self._os_errors(), self._locked():
            manifest = self.format.read(self.path)
            stored = {key: manifest.get(key) for key in self.identity}
            require_same(self.path, self.format.what, stored, self.identity)
            remove_temporaries(self.path)
            yield

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        return locked(self.path, progress=lambda: self.format.progress(self.path))

    def write(self, **more: object) -> None:
        """Write the manifest: `about`, `identity`, and further entries."""
        self.format.write(self.path, {**self.about, **self.identity, **more})

    @staticmethod
    def difference(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
        """Return the first difference of two settings as part of a message, `KEY is OLD, not NEW`; "" if there is none.

        They are compared as `differences` does.
        """
        for key, (old, new) in differences([stored, wanted]).items():
            return f"{key} is {brief(old)}, not {brief(new)}"
        return ""

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


def require_same(folder: Path, what: str, stored: Mapping[str, Json], wanted: Mapping[str, Json]) -> None:
    """Raise GameforgeError, with the first difference, if a folder holds other work than the one to be resumed."""
    for key, (old, new) in differences([stored, wanted]).items():
        raise GameforgeError(
            f"the folder {folder} holds another {what}: {key} is {brief(old)} there and {brief(new)} here; "
            "choose another folder"
        )


def brief(value: object) -> str:
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


def differences(settings: Sequence[Mapping[str, Json]]) -> dict[str, list[Any]]:
    """Return the dotted keys in which settings differ, each with its value in every one of them; None if missing.

    Lists of mappings are compared entry by entry. An empty list counts as equal to a missing one.
    """
    leaves = [dict(flat(one)) for one in settings]
    keys = dict.fromkeys(key for one in leaves for key in one)
    values = {key: [one.get(key) for one in leaves] for key in keys}
    return {
        key: found
        for key, found in values.items()
        if any(value != found[0] for value in found) and any(value not in (None, []) for value in found)
    }
