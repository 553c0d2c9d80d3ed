"""Claims of a paper beside our figures, and the report that renders them.

An experiment declares claims as rows of data: what the source says, the figure that it gives, our figure, and the
verdict of the test. `make_report` puts them between paragraphs and tables, and hands them to programs as well.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
        return {
            "what": self.what,
            "published": self.published,
            "ours": self.ours,
            "mark": self.mark,
            "verdict": verdict,
        }

    def mark_at(self, scale: float) -> str:
        """The mark and, for an ordering, the verdict; it names the scale if trials were not as long as published.

        What short trainings show need not be true of whole ones.
        """
        length = "" if scale == 1 else f" at scale {scale:g}"
        return f"{self.mark}{length}: {self.verdict}" if self.verdict.is_ordering else self.mark


def make_report(
    *parts: str | Sequence[Claim],
    numbers: Numbers,
    scale: float = 1.0,
    figures: Mapping[str, "Callable[[Figure], None]"] | None = None,
) -> Report:
    """Make a report of paragraphs, tables and claims.

    parts: texts, each of which ends with a line break, and sequences of claims, which become tables with a mark in
    every row; empty ones are left out. numbers: what programs get besides the claims. scale: length of the trials,
    relative to what was published.
    """
    claims = [claim.numbers for part in parts if not isinstance(part, str) for claim in part]
    texts = [part if isinstance(part, str) else comparison(part, scale) for part in parts if part]
    rows = {"rows": claims} if claims else {}
    return Report(text="\n".join(texts), numbers={**rows, **numbers}, figures=figures or {})


def comparison(claims: Iterable[Claim], scale: float = 1.0) -> str:
    """Return a Markdown table of published figures beside ours, with a mark in every row."""
    return table(
        {"": one.what, "published": one.published or "-", "ours": one.ours, "mark": one.mark_at(scale)}
        for one in claims
    )


def table(rows: Iterable[Mapping[str, object]]) -> str:
    """Return a Markdown table of rows by their headings, which are those of the first row; `|` in cells is escaped.

    The first column is left-aligned, the others are right-aligned.
    """
    found = list(rows)
    lines: list[Iterable[object]] = [
        found[0],
        ["---", *["---:"] * (len(found[0]) - 1)],
        *(row.values() for row in found),
    ]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def _cell(value: object) -> str:
    return str(value).replace("|", r"\|").replace("\n", " ")


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
