"""Tables of reports in Markdown."""

import enum
import statistics
from collections.abc import Iterable, Sequence

import attrs

from gameforge.experiments.statistics import UNBOUNDED, mean_interval

FEWEST_SEEDS = 5
"""Number of seeds from which a report gives a verdict about a method."""


class Mark(enum.StrEnum):
    """How a row compares with the published figures."""

    EXACT = "exact"
    """The same figure."""
    ORDERING = "qualitative ordering"
    """Figures on another scale, whose order can be compared."""
    UNAVAILABLE = "unavailable in the source"
    """The source gives no figure to compare with, or not the conditions behind it."""
    NOT_INFORMATIVE = "not informative"
    """The row cannot fail, either figure comes from a few games between deterministic players, or the interval is too
    wide to tell a difference from none."""
    DESCRIPTIVE = f"descriptive: fewer than {FEWEST_SEEDS} seeds"
    """The figures may be in the published order, but so few trainings do not show a property of the method."""


class Verdict(enum.StrEnum):
    """What our figures say about a published order."""

    HOLDS = "holds"
    """They are in the published order beyond chance."""
    NOT_SHOWN = "not shown"
    """They do not differ beyond chance."""
    FAILS = "does not hold"
    """They contradict the order beyond chance."""


@attrs.frozen(kw_only=True)
class Compared:
    """A row of a comparison: a published figure beside our own."""

    what: str
    """The figure, in words: the first cell of the row."""
    published: str = ""
    """Empty if the source gives no figure."""
    ours: str
    """Our figure."""
    mark: Mark
    """How the two figures compare."""
    verdict: Verdict | None = None
    """The verdict about the published order; None if none was published."""

    def __attrs_post_init__(self) -> None:
        if not self.published and self.mark is not Mark.UNAVAILABLE:
            raise ValueError(f"row {self.what!r}: nothing was published, so its mark cannot be {self.mark!s}")
        if (self.verdict is None) is (self.mark is Mark.ORDERING):
            raise ValueError(f"row {self.what!r}: `verdict` must be given for an ordering, and only for one")

    def mark_text(self, scale: float = 1.0) -> str:
        """The mark and, for an ordering, the verdict, and the scale if trials were not as long as published.

        What short trainings show need not be true of whole ones.
        """
        if self.verdict is None:
            return str(self.mark)
        length = "" if scale == 1 else f" at scale {scale:g}"
        return f"{self.mark}{length}: {self.verdict}"


def verdict(differences: Sequence[float]) -> Verdict | None:
    """The verdict about a mean of differences over seeds that is published as above 0; None for fewer than
    FEWEST_SEEDS."""
    if len(differences) < FEWEST_SEEDS:
        return None
    low, high = mean_interval(differences)
    return Verdict.HOLDS if low > 0 else Verdict.FAILS if high < 0 else Verdict.NOT_SHOWN


def differences(one: Sequence[float], other: Sequence[float]) -> tuple[list[float], str]:
    """Return the differences of two conditions seed by seed, and their mean as text, with its interval."""
    found = [a - b for a, b in zip(one, other, strict=True)]
    mean, ends = f"{statistics.fmean(found):+.2f}", interval_of_mean(found, 2)
    return found, f"{mean} ({ends})" if ends else mean


def judged(what: str, published: str, ours: str, verdict: Verdict | None) -> Compared:
    """Return the row of a claim about a method: an ordering, or merely descriptive if there is no verdict."""
    mark = Mark.DESCRIPTIVE if verdict is None else Mark.ORDERING
    return Compared(what=what, published=published, ours=ours, mark=mark, verdict=verdict)


def comparison(rows: Iterable[Compared], scale: float = 1.0) -> str:
    """Return a Markdown table of published figures beside ours, with a mark in every row.

    scale: length of the trials, relative to what was published.
    """
    cells = [(row.what, row.published or "-", row.ours, row.mark_text(scale)) for row in rows]
    return table(("", "published", "ours", "mark"), cells)


def judged_same(what: str, published: str, ours: str, differences: Sequence[float], margin: float) -> Compared:
    """Return the row of a claim that two methods do not differ, by their differences over seeds.

    It holds if the interval of the mean lies within -margin and margin, and does not hold if the mean differs from 0
    beyond chance. Otherwise the seeds are too few to tell, and the row is not informative.
    """
    if len(differences) < FEWEST_SEEDS:
        return judged(what, published, ours, None)
    low, high = mean_interval(differences)
    same = -margin < low and high < margin
    if same or low > 0 or high < 0:
        return judged(what, published, ours, Verdict.HOLDS if same else Verdict.FAILS)
    return Compared(what=what, published=published, ours=ours, mark=Mark.NOT_INFORMATIVE)


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


def interval_of_mean(values: Sequence[float], digits: int = 0, within: tuple[float, float] = UNBOUNDED) -> str:
    """Return the 95 % interval of the mean of values over seeds as text; empty for one seed.

    Equal values have no spread, from which an interval could be computed; the text then says that they are equal.
    within: the smallest and largest possible values.
    """
    if len(values) < 2:
        return ""
    return all_equal(values) or interval(*mean_interval(values, within), digits)


def all_equal(values: Sequence[float]) -> str:
    """Return `all 5 seeds equal` if the values of several seeds are, and an empty text otherwise."""
    return f"all {len(values)} seeds equal" if len(values) > 1 and min(values) == max(values) else ""


def mean_over_seeds(values: Sequence[float], digits: int = 0, within: tuple[float, float] = UNBOUNDED) -> str:
    """Return the mean of values over seeds as text, with its 95 % interval if there are several.

    within: the smallest and largest possible values.
    """
    found = interval_of_mean(values, digits, within)
    mean = number(statistics.fmean(values), digits)
    return f"{mean} ({found})" if found else mean


def probability(p: float) -> str:
    """Format a probability with two significant digits, or as `< 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.095 else f"{p:.2f}"


def _cell(value: object) -> str:
    return str(value).replace("|", r"\|").replace("\n", " ")
