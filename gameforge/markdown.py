"""Tables of reports in Markdown."""

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, its first column to the left and the others to the right; `|` in a cell is no border."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def number(value: float, digits: int = 0) -> str:
    """With a comma for thousands, and no sign before a zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def interval(low: float, high: float, digits: int = 0) -> str:
    """`low to high`."""
    return f"{number(low, digits)} to {number(high, digits)}"


def probability(p: float) -> str:
    """Two digits that say something, and `< 0.001` below that."""
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.095 else f"{p:.2f}"


def _cell(value: object) -> str:
    return str(value).replace("|", r"\|").replace("\n", " ")
