"""Claims of a paper beside our figures, and the report that renders them.

An experiment declares claims as rows of data: what the source says, the figure that it gives, our figure, and the
verdict of the test. `make_report` puts them and the rows of other tables between paragraphs, and hands the claims to
programs as well.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from gameforge.experiments.samples import Verdict
from gameforge.interfaces.experiment import Report, Result
from gameforge.interfaces.learner import Numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@attrs.frozen
class Claim:
    """What a source claims, the figure that it gives, our figure, and how they compare."""

    what: str
    """The claim, or the name of the figure, in words."""
    published: str
    """The published figure; empty if the source gives none."""
    ours: str = attrs.field(converter=str)
    """Our figure, with its interval."""
    verdict: Verdict = Verdict.UNAVAILABLE
    """The result of the test."""

    def __attrs_post_init__(self) -> None:
        if not self.published and self.verdict is not Verdict.UNAVAILABLE:
            raise ValueError(f"claim {self.what!r}: nothing was published, so it cannot be {self.verdict!s}")

    @property
    def mark(self) -> str:
        """How our figure compares with the published one, apart from the verdict about an order."""
        return "qualitative ordering" if self.verdict.is_ordering else str(self.verdict)

    @property
    def numbers(self) -> dict[str, str | None]:
        """The claim for programs."""
        verdict = self.verdict if self.verdict.is_ordering else None
        found = {"what": self.what, "published": self.published, "ours": self.ours}
        return {**found, "mark": self.mark, "verdict": verdict}

    def row(self, scale: float) -> "Row":
        """The claim as a row of a table; the mark of an ordering names the scale if trials are shorter than published.

        What short trainings show need not be true of whole ones.
        """
        length = "" if scale == 1 else f" at scale {scale:g}"
        mark = f"{self.mark}{length}: {self.verdict}" if self.verdict.is_ordering else self.mark
        return {"": self.what, "published": self.published or "-", "ours": self.ours, "mark": mark}


Row = Mapping[str, object]
"""A row of a table: the cell below each heading."""


def make_report(
    *parts: str | Iterable[Claim | Row],
    numbers: Numbers,
    scale: float = 1.0,
    figures: Mapping[str, "Callable[[Figure], None]"] | None = None,
) -> Report:
    """Make a report of paragraphs, tables and claims.

    parts: texts, each of which ends with a line break, and claims or rows, which become tables; claims have a mark in
    every row. Empty parts are left out. numbers: what programs get besides the claims. scale: length of the trials,
    relative to what was published.
    """
    found = [part if isinstance(part, str) else list(part) for part in parts]
    claims = [one.numbers for part in found for one in part if isinstance(one, Claim)]
    texts = [
        part if isinstance(part, str) else table(one.row(scale) if isinstance(one, Claim) else one for one in part)
        for part in found
        if part
    ]
    judged = {"rows": claims} if claims else {}
    return Report(text="\n".join(texts), numbers={**judged, **numbers}, figures=figures or {})


def table(rows: Iterable[Row]) -> str:
    """Return a Markdown table of rows by their headings, which are those of the first row; `|` in cells is escaped.

    The first column is left-aligned, the others are right-aligned.
    """
    found = list(rows)
    rule = ["---", *["---:"] * (len(found[0]) - 1)]
    lines: list[Iterable[object]] = [found[0], rule, *(row.values() for row in found)]
    cells = ([str(cell).replace("|", r"\|").replace("\n", " ") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def by_condition(results: Iterable[Result], conditions: Iterable[str] = ()) -> dict[str, list[Numbers]]:
    """Return the figures of each condition, seed by seed.

    conditions: those to return, in this order; by default all that have results.
    """
    found: dict[str, list[Numbers]] = {name: [] for name in conditions}
    wanted = set(found)
    for result in results:
        if not wanted or result.condition in wanted:
            found.setdefault(result.condition, []).append(result.numbers)
    return found
