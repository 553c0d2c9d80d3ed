"""What comes from outside: one place decides which paths, files and numbers may be used.

The command line, the page of the browser board, protocols and readers of files all ask here. What a person or a program
names may be too long, may have characters that no name can have, and may be a pipe that nobody writes to.
"""

import codecs
import errno
import math
import os
import stat
from collections.abc import Iterable, Iterator
from io import BufferedReader, TextIOWrapper
from pathlib import Path

from gameforge.errors import GameforgeError

MOST_TOML, MOST_SETTINGS, MOST_BYTES = 1 << 20, 1 << 26, 1 << 30
"""Maximum size of a TOML file, which takes seconds for each megabyte, of a manifest, and of weights, in bytes."""
MOST_NUMBER = (1 << 63) - 1
"""The largest whole number; as seeds, sizes and counts, kernels and files have room for no others."""
_MOST_DEPTH = 100
"""How deeply values of a file or a text may be nested. Code that walks through them is recursive."""
MOST_NAME, _MOST_PATH = 255, 4096
"""Longest name of a file or folder, and longest path, in bytes, of common file systems."""
_SHOWN = 40
"""Characters of a path that a message shows."""
_RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"{port}{i}" for port in ("COM", "LPT") for i in range(1, 10))}
"""Names that mean devices on Windows, with any ending."""
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class Unusable(OSError):
    """A file that may not be read, although the operating system would allow it; `strerror` says why."""


def open_file(path: str | Path) -> BufferedReader:
    """Open a regular file for reading.

    Raises OSError as `open` does; Unusable for pipes and devices, which may never end, without waiting for them, and
    for paths that no file can have.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # NUL characters, and texts that no file system can encode
        raise Unusable(errno.EINVAL, f"no file can have this name ({error})", str(path)) from error
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind != stat.S_IFREG:
        os.close(descriptor)
        if kind == stat.S_IFDIR:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise Unusable(errno.EINVAL, _not_a_file(kind), str(path))
    return os.fdopen(descriptor, "rb")


def _not_a_file(kind: int) -> str:
    return f"it is {_KINDS.get(kind, 'not a file')}"


def open_text(path: str | Path, encoding: str = "utf-8", errors: str = "strict") -> TextIOWrapper:
    """Open a regular file as text, without its byte order mark; that of UTF-16 overrules the encoding utf-8.

    Raises OSError as `open_file` does; GameforgeError if there is no such encoding.
    """
    name = codecs.lookup(require_encoding(encoding)).name
    file = open_file(path)
    if name == "utf-8":
        name = "utf-16" if file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    return TextIOWrapper(file, name, errors)


def read_file(path: str | Path, most: int | None = None) -> bytes:
    """Return the content of a regular file, of at most this many bytes; OSError as of `open_file`."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise Unusable(errno.EFBIG, f"it has {size} bytes, more than the {most} that are read", str(path))
        return file.read() if most is None else file.read(most)


def require_file(path: Path) -> None:
    """Raise GameforgeError unless this is a file: nothing, a folder, a pipe or a device is there instead."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise GameforgeError(f"there is no file {path}") from None
    if kind == stat.S_IFDIR:
        raise GameforgeError(f"{path} is a folder; name a file")
    if kind != stat.S_IFREG:
        raise GameforgeError(f"cannot read {path}: {_not_a_file(kind)}")


def require_path(path: str | Path, name: str = "", *, new: bool = False) -> None:
    """Raise GameforgeError unless this can be the path of a file or folder.

    name: of the option or parameter, for the message. new: what is missing of it is to be written, so these names must
    also be such that every system and program can use them: without control characters, and no device on Windows.
    """
    text = os.fspath(path)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    who = f"{name} {shown!r}".strip() if name else f"the path {shown!r}"
    try:
        encoded = os.fsencode(text)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise GameforgeError(f"{who}: {character!r} cannot be in the name of a file") from None
    if b"\0" in encoded:
        raise GameforgeError(f"{who}: {chr(0)!r} cannot be in the name of a file")
    longest = max(map(len, encoded.split(os.fsencode(os.sep))))
    if longest > MOST_NAME:
        raise GameforgeError(f"{who}: a name has {longest} bytes; at most {MOST_NAME} are allowed")
    if len(encoded) >= _MOST_PATH:
        raise GameforgeError(f"{who}: the path has {len(encoded)} bytes; less than {_MOST_PATH} are allowed")
    if _is_loop(text):
        raise GameforgeError(f"{who}: its symbolic links lead in a circle")
    for missing in _missing(Path(text)) if new else ():
        if not missing.isprintable():
            raise GameforgeError(f"{who}: a new file or folder must have a name of printable characters")
        if missing.partition(".")[0].rstrip().upper() in _RESERVED:
            raise GameforgeError(f"{who}: {missing!r} means a device on Windows; choose another name")


def require_encoding(name: str) -> str:
    """Return the name of an encoding of texts; GameforgeError if there is none of this name."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise GameforgeError(f"unknown encoding {name!r}; try utf-8, cp1252 or utf-16") from None
    return name


def require_shallow(value: object) -> None:
    """Raise ValueError if parsed JSON or TOML is nested more deeply than code that walks through it can follow."""
    level = [value]
    for _ in range(_MOST_DEPTH):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inside(one)]
        if not level:
            return
    raise ValueError(f"its values are nested more than {_MOST_DEPTH} deep")


def _inside(value: "dict[object, object] | list[object]") -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value


def _is_loop(text: str) -> bool:
    try:
        os.stat(text)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _missing(path: Path) -> Iterator[str]:
    """Yield the names at the end of a path that do not exist."""
    for here in (path, *path.parents):
        if os.path.lexists(here):
            return
        yield here.name


def require_number(value: float, name: str) -> None:
    """Raise GameforgeError unless a number is finite and, if it is whole, fits into 64 bits; name: what it is."""
    if isinstance(value, float) and not math.isfinite(value):
        raise GameforgeError(f"{name} {value}: must be a finite number")
    if isinstance(value, int) and abs(value) > MOST_NUMBER:
        raise GameforgeError(f"{name} {value}: must be from -2^63 + 1 to 2^63 - 1")
