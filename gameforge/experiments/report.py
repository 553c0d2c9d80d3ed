"""Tables of reports in Markdown."""

import enum
from collections.abc import Iterable, Sequence

import attrs


class Mark(enum.StrEnum):
    """How a row compares with the published figures."""

    EXACT = "exact"
    """The same figure."""
    ORDERING = "qualitative ordering"
    """Figures on another scale, whose order can be compared."""
    UNAVAILABLE = "unavailable in the source"
    """The source gives no figure to compare with, or not the conditions behind it."""


@attrs.frozen(kw_only=True)
class Compared:
    """A row of a comparison: a published figure beside our own."""

    what: str
    published: str = ""
    """Empty if the source gives no figure."""
    ours: str
    mark: Mark
    holds: bool | None = None
    """Whether our figures are in the published order; None if no order was published."""

    def __attrs_post_init__(self) -> None:
        if not self.published and self.mark is not Mark.UNAVAILABLE:
            raise ValueError(f"row {self.what!r}: nothing was published, so its mark cannot be {self.mark!s}")
        if (self.holds is None) is (self.mark is Mark.ORDERING):
            raise ValueError(f"row {self.what!r}: `holds` must be given for an ordering, and only for one")

    @property
    def verdict(self) -> str:
        """The mark and, for an ordering, whether it holds."""
        return str(self.mark) if self.holds is None else f"{self.mark}: {'holds' if self.holds else 'does not hold'}"


def comparison(rows: Iterable[Compared]) -> str:
    """Return a Markdown table of published figures beside ours, with a mark in every row."""
    cells = [(row.what, row.published or "-", row.ours, row.verdict) for row in rows]
    return table(("", "published", "ours", "mark"), cells)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table: first column left-aligned, the others right-aligned; `|` in cells is escaped."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def number(value: float, digits: int = 0) -> str:
    """Format a number with thousands separators, and without a sign before zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def interval(low: float, high: float, digits: int = 0) -> str:
    """Format an interval as `low to high`."""
    return f"{number(low, digits)} to {number(high, digits)}"


def probability(p: float) -> str:
    """Format a probability with two significant digits, or as `< 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.095 else f"{p:.2f}"


def _cell(value: object) -> str:
    return str(value).replace("|", r"\|").replace("\n", " ")
