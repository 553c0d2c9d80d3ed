"""Tables of rows as files for other programs: CSV, or Parquet if pyarrow is installed."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gameforge.config.toml import Json
from gameforge.errors import GameforgeError, pip_install
from gameforge.storage.files import write_atomically

Row = Mapping[str, Json]
"""A row of a table: a value for each column."""


def check_table(path: Path) -> None:
    """Raise GameforgeError if no table can be written to a file of this name; call it before long work."""
    _format(path)


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write rows, whose columns are all keys in the order of their first occurrence; a missing value is empty."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    data = _format(path)(path, columns, rows)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from None
    write_atomically(path, data)


def _format(path: Path) -> Callable[[Path, Sequence[str], Sequence[Row]], bytes]:
    """Return the function that makes the content of the file."""
    if path.suffix == ".csv":
        return _csv
    if path.suffix != ".parquet":
        raise GameforgeError(f"{path}: the name of a table must end in .csv or .parquet")
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise GameforgeError(f"{path}: Parquet needs pyarrow: {pip_install('parquet')}") from None
    return _parquet


def _csv(_: Path, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def _parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    file = io.BytesIO()
    arrays = {}
    for column in columns:
        try:
            arrays[column] = pyarrow.array([row.get(column) for row in rows])
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            raise GameforgeError(
                f"{path}: column {column!r} has values of different types, which Parquet cannot hold; write a .csv file"
            ) from None
    pyarrow.parquet.write_table(pyarrow.table(arrays), file)
    return file.getvalue()
