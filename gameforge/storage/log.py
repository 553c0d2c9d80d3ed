"""Append-only text files, and JSON logs with one JSON value per line."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

from gameforge.errors import GameforgeError
from gameforge.storage.stored import parse_json

T = TypeVar("T")


class TextLog:
    """An append-only text file. The first `keep` bytes of an existing file are kept.

    The rest is cut off at the first write or flush, not before: if the caller refuses to resume until then, the file
    is unchanged.
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
        """Append text."""
        self._cut()
        self._file.write(text)

    def flush(self) -> None:
        """Hand everything to the operating system; it then survives the end of this process, but not a power cut."""
        self._cut()
        self._file.flush()

    def length(self) -> int:
        """Write everything to the disk and return the length of the file, in bytes."""
        self.flush()
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _cut(self) -> None:
        if self._keep is not None:
            self._file.truncate(self._keep)
            self._keep = None


class JsonLog(TextLog):
    """A log with one JSON value per line, readable while it is being written."""

    def append(self, entry: Any) -> None:
        """Write an entry and flush it."""
        self.write(json.dumps(entry) + "\n")
        self.flush()


def read_log(path: Path, parse: Callable[[Any], T], length: int | None = None) -> list[T]:
    """Read the entries of a JSON log; an incomplete last line, as a killed process leaves it, is skipped.

    length: number of bytes to read; None reads all. Returns an empty list if the file is missing. Raises
    GameforgeError, with the number of the line, if a line is not JSON, or if `parse` raises ValueError (of which
    GameforgeError is one), TypeError or KeyError for its value.
    """
    entries = []
    for number, line in enumerate(_lines_of(path, length), 1):
        try:
            entries.append(parse(parse_json(line)))
        except KeyError as error:
            raise GameforgeError(f"{path}, line {number} is damaged: it lacks {error}") from error
        except (ValueError, TypeError) as error:
            raise GameforgeError(f"{path}, line {number} is damaged: {error}") from error
    return entries


def length_of_lines(path: Path, lines: int) -> int:
    """Return the length of the first `lines` lines of a log, in bytes."""
    return sum(len(line) + 1 for line in _lines_of(path)[:lines])


def whole_lines(content: bytes) -> list[bytes]:
    """Split the content of a log into its lines, without an incomplete last one, as a killed process leaves it."""
    return content.split(b"\n")[:-1]


def _lines_of(path: Path, length: int | None = None) -> list[bytes]:
    try:
        return whole_lines(path.read_bytes()[:length])
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
