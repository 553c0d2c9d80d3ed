"""Tables of rows as files for other programs: CSV, or Parquet if pyarrow is installed."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gameforge.errors import GameforgeError

Row = Mapping[str, Any]


def check_table(path: Path) -> None:
    """Raise GameforgeError if no table can be written to a file of this name; call it before long work."""
    _writer(path)


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write rows, whose columns are all keys in the order of their first occurrence; a missing value is empty."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = _writer(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer(path, columns, rows)
    except OSError as error:
        raise GameforgeError(f"{path} cannot be written: {error.strerror or error}") from None


def _writer(path: Path) -> Callable[[Path, Sequence[str], Sequence[Row]], None]:
    if path.suffix == ".csv":
        return _write_csv
    if path.suffix != ".parquet":
        raise GameforgeError(f"{path}: a table is written to a file that ends in .csv or .parquet")
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise GameforgeError(f"{path}: Parquet needs pyarrow: pip install 'gameforge[parquet]'") from None
    return _write_parquet


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def _write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({column: [row.get(column) for row in rows] for column in columns})
    pyarrow.parquet.write_table(table, path)
