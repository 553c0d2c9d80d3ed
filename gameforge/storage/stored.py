"""What files hold, read strictly: JSON as attrs classes, NumPy arrays, and append-only logs.

A log is a text file, or has one JSON value per line. A checksum proves that a file is as it was written, not that its
content makes sense; both are checked.
"""

import functools
import hashlib
import io
import itertools
import json
import math
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import attrs

from gameforge.config import structure
from gameforge.config.outside import MOST_BYTES, MOST_NAME, open_file, open_text, read_file
from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = [
    "JsonLog",
    "TextLog",
    "digest_of",
    "file_name",
    "length_of_lines",
    "log_entries",
    "open_file",
    "open_text",
    "packed_arrays",
    "parse_json",
    "read_arrays",
    "read_as",
    "read_file",
    "read_log",
    "whole_lines",
]

T = TypeVar("T")
_SHOWN = 40
"""Characters of a name that a message shows."""


def parse_json(text: str | bytes, *, finite: bool = False) -> Any:
    """Parse JSON; ValueError for anything else, also for values nested too deeply to read.

    finite: also for infinities and NaN, which Python reads and writes although JSON has none.
    """
    number = _finite if finite else None
    try:
        return json.loads(text, parse_float=number, parse_constant=number)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def read_as(kind: type[T], content: object) -> T:
    """Read parsed JSON as an attrs class, whose types and validators are strict; further keys are ignored.

    Raises GameforgeError that names the key, its value and what is allowed.
    """
    if not isinstance(content, Mapping):
        raise GameforgeError(f"expected an object with keys, got {type(content).__name__}")
    names = _names(kind)  # type: ignore[arg-type]  # mypy doubts that classes are hashable
    return structure(kind, {key: value for key, value in content.items() if key in names})


@functools.cache
def _names(kind: type) -> frozenset[str | None]:
    return frozenset(field.alias for field in attrs.fields(kind))


def file_name(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    """Validator: the plain name of a file in the folder of the manifest that names it."""
    plain = value.isprintable() and not any(character in value for character in "/\\:")
    if value in ("", ".", "..") or not plain or len(os.fsencode(value)) > MOST_NAME:
        raise ValueError(f"'{attribute.name}' must be the name of a file in this folder: {value[:_SHOWN]!r}")


def read_arrays(data: bytes) -> "dict[str, NDArray[Any]]":
    """Read the arrays of an .npz file; ValueError for anything else, pickled objects included."""
    import numpy as np

    if not data.startswith(b"PK"):
        raise ValueError("it is not an .npz file")
    inflated = sum(member.file_size for member in _loaded(lambda: zipfile.ZipFile(io.BytesIO(data)).infolist()))
    most = max(MOST_BYTES, 4 * len(data))
    if inflated > most:
        raise ValueError(f"its arrays have {inflated} bytes, more than the {most} that are read")
    return _loaded(lambda: dict(np.load(io.BytesIO(data), allow_pickle=False).items()))


def packed_arrays(arrays: "Mapping[str, NDArray[Any]]") -> bytes:
    """Return the content of an .npz file with these arrays, by name."""
    import numpy as np

    packed = io.BytesIO()
    try:
        np.savez(packed, **arrays)  # type: ignore[arg-type]  # the stub takes the arrays for allow_pickle
    except ValueError as error:
        # Ctrl-C may leave a member of the archive open; zipfile then raises this in place of the KeyboardInterrupt.
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    return packed.getvalue()


def _loaded(load: Callable[[], T]) -> T:
    """Call a reader of numpy's; raises ValueError whatever it raises."""
    try:
        return load()
    except Exception as error:  # numpy and zipfile fail in many ways, from zlib.error to MemoryError
        raise ValueError(f"{type(error).__name__}: {error}") from error


def digest_of(path: Path, length: int | None = None) -> "hashlib._Hash":
    """Return the SHA-256 of the first `length` bytes of a file; None: of all; OSError as of `open_file`."""
    found = hashlib.sha256()
    with open_file(path) as file:
        while data := file.read(_PIECE if length is None else min(_PIECE, length)):
            found.update(data)
            length = None if length is None else length - len(data)
    return found


_PIECE = 1 << 20


class TextLog:
    """An append-only text file. The first `keep` bytes of an existing file are kept.

    The rest is cut off at the first write or flush, not before: if the caller refuses to resume until then, the file
    is unchanged.
    """

    def __init__(self, path: Path, keep: int = 0) -> None:
        self.path = path
        self._file = path.open("ab")
        self._keep: int | None = keep
        self._sha256 = hashlib.sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def write(self, text: str) -> None:
        """Append a text."""
        self._cut()
        data = text.encode()
        self._file.write(data)
        self._sha256.update(data)

    def flush(self) -> None:
        """Hand everything to the operating system; it then survives the end of this process, but not a power cut."""
        self._cut()
        self._file.flush()

    def length(self) -> int:
        """Write everything to the disk and return the length of the file, in bytes."""
        self.flush()
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size

    def digest(self) -> str:
        """Return the SHA-256 of the whole file."""
        self._cut()
        return self._sha256.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _cut(self) -> None:
        if self._keep is not None:
            self._file.truncate(self._keep)
            self._sha256, self._keep = digest_of(self.path, self._keep), None


class JsonLog(TextLog):
    """A log with one JSON value per line, readable while it is being written."""

    def append(self, entry: object) -> None:
        """Write an entry and flush it."""
        self.write(json.dumps(entry) + "\n")
        self.flush()


def read_log(path: Path, parse: Callable[[Any], T], length: int | None = None) -> list[T]:
    """Read the entries of a JSON log; an incomplete last line, as a killed process leaves it, is skipped.

    length: number of bytes to read; None reads all. Returns an empty list if the file is missing. Raises
    GameforgeError, with the number of the line, if a line is not JSON, or if `parse` raises ValueError (of which
    GameforgeError is one), TypeError or KeyError for its value.
    """
    return [entry for _, entry in log_entries(path, parse, length)]


def log_entries(path: Path, parse: Callable[[Any], T], length: int | None = None) -> Iterator[tuple[int, T]]:
    """Yield the entries of a JSON log as `read_log` reads them, each with the place where its line ends, in bytes.

    Only one entry is in memory at a time.
    """
    end = 0
    for number, line in enumerate(_lines_of(path, length), 1):
        end += len(line) + 1
        try:
            entry = parse(parse_json(line))
        except KeyError as error:
            raise GameforgeError(f"{path}, line {number} is damaged: it lacks {error}") from error
        except (ValueError, TypeError) as error:
            raise GameforgeError(f"{path}, line {number} is damaged: {error}") from error
        yield end, entry


def length_of_lines(path: Path, lines: int) -> int:
    """Return the length of the first `lines` lines of a log, in bytes."""
    return sum(len(line) + 1 for line in itertools.islice(_lines_of(path), lines))


def whole_lines(content: bytes) -> list[bytes]:
    """Split the content of a log into its lines, without an incomplete last one, as a killed process leaves it."""
    return content.split(b"\n")[:-1]


def _lines_of(path: Path, length: int | None = None) -> Iterator[bytes]:
    """Yield the whole lines of a log, or of its first `length` bytes, as they are read."""
    try:
        with open_file(path) as file:
            while line := file.readline(-1 if length is None else length):
                if not line.endswith(b"\n"):
                    return
                length = None if length is None else length - len(line)
                yield line[:-1]
    except FileNotFoundError:
        return
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
