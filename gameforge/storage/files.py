"""Writing files: atomically, and only if there is room; and tables of rows for other programs, as CSV or Parquet.

A file is written under a temporary name, then renamed. Where the size of what is to be written or computed is known,
the room on the disk and in memory is checked before the first byte.
"""

import contextlib
import csv
import functools
import io
import itertools
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from gameforge.config.outside import require_path
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError, pip_install
from gameforge.memory import memory_of as memory_of
from gameforge.memory import require_memory as require_memory
from gameforge.memory import size_text as size_text

_TEMPORARY = re.compile(r"\.(.+)\.\d+-\d+\.tmp", re.DOTALL)


def write_atomically(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file by these data, as `replacing` does."""
    with replacing(path, mode) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` when the block ends without an exception.

    The file holds either its old or its new content, never part of it, even after a power cut.
    mode: permissions of the file, less those that the process's umask withholds. Raises GameforgeError if the file
    cannot be written.
    """
    if path.is_dir():
        raise GameforgeError(f"cannot write {path}: it is a folder")
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:  # Ctrl-C included
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from error
        raise


def require_writable(path: Path) -> None:
    """Raise GameforgeError if the file cannot be written, its missing folders included; call it before long work.

    Nothing is left behind.
    """
    require_path(path, new=True)
    if path.is_dir():
        raise GameforgeError(f"cannot write {path}: it is a folder")
    if path.exists() and not path.is_file():  # a device
        return
    folder = next(folder for folder in path.absolute().parents if folder.exists() or folder == folder.parent)
    temporary = folder / f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        temporary.touch()
        temporary.unlink()
    except OSError as error:
        raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from None


def write_json(path: Path, content: object) -> None:
    """Replace a file with indented JSON."""
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


def is_temporary(path: Path) -> bool:
    """Return whether this is a temporary file of `write_atomically`, as a killed process may leave it."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_temporaries_of(paths: Iterable[Path]) -> None:
    """Remove the temporary files of these files. The caller must make sure that no process is writing them."""
    for path in paths:
        for left in path.parent.glob(".*.tmp"):
            found = _TEMPORARY.fullmatch(left.name)
            if found is not None and found[1] == path.name:
                left.unlink(missing_ok=True)


def require_disk(folder: Path, size: int, what: str) -> None:
    """Raise GameforgeError that names both sizes if the disk of a folder, which need not exist, has less room."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.is_dir())
    try:
        free = shutil.disk_usage(existing).free
    except OSError:  # a file system that does not say
        return
    if size > free:
        raise GameforgeError(f"{what} needs {size_text(size)} of disk in {folder}, where {size_text(free)} are free")


Row = Mapping[str, Json]
"""A row of a table: a value for each column."""


def check_table(path: Path) -> None:
    """Raise GameforgeError if no table can be written to a file of this name; call it before long work."""
    _format(path)


def write_table(path: Path, rows: Iterable[Row], columns: Sequence[str] = ()) -> None:
    """Write rows; a missing value is empty.

    columns: those of the table, so that rows can be written as they come, few of which are in memory at a time. By
    default they are all keys in the order of their first occurrence, for which all rows are read first.
    """
    write = _format(path)
    if not columns:
        rows = list(rows)
        columns = list(dict.fromkeys(key for row in rows for key in row))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from None
    with replacing(path) as file:
        write(file, columns, rows)


_Writer = Callable[[BinaryIO, Sequence[str], Iterable[Row]], None]


def _format(path: Path) -> _Writer:
    """Return the function that writes the content of the file."""
    if path.suffix == ".csv":
        return _csv
    if path.suffix != ".parquet":
        raise GameforgeError(f"{path}: the name of a table must end in .csv or .parquet")
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise GameforgeError(f"{path}: Parquet needs pyarrow: {pip_install('parquet')}") from None
    return functools.partial(_parquet, path)


def _csv(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row]) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="")
    try:
        writer = csv.DictWriter(text, columns)
        writer.writeheader()
        writer.writerows(rows)
    finally:
        text.detach()  # the caller closes the file


_TOGETHER = 10_000
"""Rows that become arrays at once."""


def _parquet(path: Path, file: BinaryIO, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write the rows by columns, since the type of a column depends on all its values: whole numbers, for example, may
    be followed by others."""
    import pyarrow
    import pyarrow.parquet

    parts: dict[str, list[Any]] = {column: [] for column in columns}
    left = iter(rows)
    while some := list(itertools.islice(left, _TOGETHER)):
        for column in columns:
            with _one_type(path, column):
                parts[column].append(pyarrow.array([row.get(column) for row in some]))
    whole = {}
    for column, arrays in parts.items():
        with _one_type(path, column):
            schemas = [pyarrow.schema([(column, array.type)]) for array in arrays]
            kind = pyarrow.unify_schemas(schemas, promote_options="permissive").field(0).type if arrays else None
            whole[column] = pyarrow.chunked_array([array.cast(kind) for array in arrays], kind or pyarrow.null())
    pyarrow.parquet.write_table(pyarrow.table(whole), file)


@contextlib.contextmanager
def _one_type(path: Path, column: str) -> Iterator[None]:
    """Say what is wrong with a column that has no type in Parquet."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        raise GameforgeError(
            f"{path}: column {column!r} has values of different types, which Parquet cannot hold; write a .csv file"
        ) from None
    except OverflowError:
        raise GameforgeError(
            f"{path}: column {column!r} has an integer of more than 64 bits, too large for Parquet; write a .csv file"
        ) from None
