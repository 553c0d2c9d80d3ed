"""Append-only text files, and JSON logs: one JSON value a line."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

from gameforge.errors import GameforgeError

T = TypeVar("T")


class TextLog:
    """A text file that only grows. Of an existing one the first `keep` bytes stay.

    The rest is cut off at the first write or flush, not before: until then whoever resumes may still
    refuse to, and has changed nothing.
    """

    def __init__(self, path: Path, keep: int = 0) -> None:
        self.path = path
        self._file = path.open("a", encoding="utf-8", newline="\n")
        self._keep: int | None = keep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def write(self, text: str) -> None:
        self._cut()
        self._file.write(text)

    def flush(self) -> None:
        """Hand everything to the system: it survives the end of this process, though not a power cut."""
        self._cut()
        self._file.flush()

    def length(self) -> int:
        """Bytes so far, all of which are on the disk."""
        self.flush()
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        self._file.close()

    def _cut(self) -> None:
        if self._keep is not None:
            self._file.truncate(self._keep)
            self._keep = None


class JsonLog(TextLog):
    """A log of JSON values, readable while it grows."""

    def append(self, entry: Any) -> None:
        """Write an entry and flush it."""
        self.write(json.dumps(entry) + "\n")
        self.flush()


def read_log(path: Path, parse: Callable[[Any], T]) -> list[T]:
    """Read the entries of a JSON log, none if the file is missing. A torn last line, as a kill leaves it, is left out.

    Raises GameforgeError that names the line if one is not JSON, or if `parse` raises ValueError (thus also
    GameforgeError), TypeError or KeyError for its value.
    """
    entries = []
    for number, line in enumerate(_whole_lines(path), 1):
        try:
            entries.append(parse(json.loads(line)))
        except KeyError as error:
            raise GameforgeError(f"{path}, line {number} is damaged: it lacks {error}") from error
        except (ValueError, TypeError) as error:
            raise GameforgeError(f"{path}, line {number} is damaged: {error}") from error
    return entries


def length_of_lines(path: Path, lines: int) -> int:
    """Bytes of the first so many lines of a log: what to keep of it."""
    return sum(len(line) + 1 for line in _whole_lines(path)[:lines])


def _whole_lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")[:-1]  # after the last line's end there is nothing, or a torn line
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
