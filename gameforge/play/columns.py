"""Results as data: rows become columns of NumPy arrays for other programs, and tables of HTML for notebooks."""

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Row = Mapping[str, object]
"""A row of a table: a value for each column that it has."""
SHOWN = 20
"""Most rows that a notebook shows."""


class Tabular(ABC):
    """A result that consists of rows: `pandas.DataFrame(result.table())` is a data frame of them."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """Return the rows."""

    def table(self) -> "dict[str, NDArray[np.generic]]":
        """Return the columns by name, in the order in which they first occur; all have the same length.

        Numbers become int64 or float64, and missing ones nan; truth values bool. Other columns hold Python objects.
        """
        return columns(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows(), str(self))


def columns(rows: Sequence[Row]) -> "dict[str, NDArray[np.generic]]":
    """Return the columns of rows, as `Tabular.table` describes them."""
    return {name: _column([row.get(name) for row in rows]) for name in _names(rows)}


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _column(values: Sequence[object]) -> "NDArray[np.generic]":
    import numpy as np

    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, bool)
    if kinds == {int}:
        return np.array(values, np.int64)
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def html_table(rows: Sequence[Row], caption: str) -> str:
    """Return the first rows as a table of HTML; the caption stands above it."""
    names = _names(rows)
    first = {name: next((row[name] for row in rows if row.get(name) is not None), None) for name in names}
    head = "".join(f"<th{_aligned(first[name])}>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_cell(row.get(name)) for name in names)}</tr>" for row in rows[:SHOWN])
    more = f"<p>{SHOWN} of {len(rows):,} rows</p>" if len(rows) > SHOWN else ""
    return f"<p>{html.escape(caption)}</p><table><tr>{head}</tr>{body}</table>{more}"


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"<td{_aligned(value)}>{html.escape(text)}</td>"


def _aligned(value: object) -> str:
    """Return the attribute by which numbers stand right and texts left; notebooks set everything right otherwise."""
    return f' style="text-align: {"right" if isinstance(value, int | float) else "left"}"'
