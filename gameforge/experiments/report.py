"""Reports of few, costly repetitions: comparisons with published figures, tables in Markdown, intervals and tests.

Intervals come from scipy, which is imported when a report needs one (`pip install 'gameforge[report]'`). The exact
permutation tests count the ways to reach each sum, so that they need not list every permutation of integers.
Random orders have a fixed seed, so that reports are reproducible.
"""

import enum
import statistics
from collections.abc import Callable, Iterable, Sequence

import attrs
import numpy as np

LEVEL = 0.95
"""Confidence level of all intervals."""
UNBOUNDED = (-np.inf, np.inf)
"""Range of values without limits."""
SHARE = (0.0, 1.0)
"""Range of values that are shares of a whole, such as scores in points a game."""
NOT_NEGATIVE = (0.0, np.inf)
"""Range of values such as counts and rates."""
ORDERS = 10_000
"""Number of random orders."""
ROUNDING = 1e-9
"""Sums of fractions that differ by less than this share of all their terms are equal but for rounding."""


def mean_interval(values: Sequence[float], within: tuple[float, float] = UNBOUNDED) -> tuple[float, float]:
    """Interval of the mean of a normal distribution (Student's t); from minus to plus infinity for one value.

    within: the smallest and largest possible values, at which the interval is cut off.
    """
    from scipy.stats import t

    sample, (least, most) = np.asarray(values, np.float64), within
    if len(sample) == 1:
        return least, most
    if np.ptp(sample) == 0:
        return float(sample[0]), float(sample[0])
    low, high = t.interval(LEVEL, len(sample) - 1, loc=sample.mean(), scale=sample.std(ddof=1) / np.sqrt(len(sample)))
    return max(float(low), least), min(float(high), most)


def prediction_interval(values: Sequence[float]) -> tuple[float, float]:
    """Prediction interval for one more value of the same normal distribution (Student's t); needs two values."""
    from scipy.stats import t

    sample = np.asarray(values, np.float64)
    n = len(sample)
    low, high = t.interval(LEVEL, n - 1, loc=sample.mean(), scale=sample.std(ddof=1) * np.sqrt(1 + 1 / n))
    return float(low), float(high)


def binomial_interval(hits: int, trials: int) -> tuple[float, float]:
    """Exact confidence interval of a proportion [Clopper1934]."""
    from scipy.stats import binomtest

    found = binomtest(hits, trials).proportion_ci(LEVEL, method="exact")
    return float(found.low), float(found.high)


def sign_flip_test(differences: Sequence[float]) -> float:
    """Exact two-sided p-value of paired differences, if both signs are equally likely.

    The smallest p-value that n pairs can reach is 2 / 2^n (R. Fisher, The design of experiments, 1935).
    """
    sums = _sums([(d, -d) for d in differences])
    rounding = ROUNDING * sum(map(abs, differences))
    observed = abs(sum(differences)) - rounding
    return _share(sums, lambda total: abs(total) >= observed)


def placement_test(blocks: Sequence[Sequence[int]], column: int) -> tuple[float, float]:
    """Exact one-sided p-values of a column's sum (as high, as low), if each block's values are in random order.

    `blocks[i][j]`: value of treatment j in repetition i, an integer. column: the treatment.
    """
    sums = _sums(blocks)
    observed = sum(block[column] for block in blocks)
    return _share(sums, lambda total: total >= observed), _share(sums, lambda total: total <= observed)


def treatments_test(blocks: Sequence[Sequence[float]]) -> float:
    """Estimated p-value of column sums that differ as much as these, if each block's values are in random order.

    The statistic is the variance of the sums (Friedman's test, 1937, on values instead of ranks). Its distribution is
    estimated from ORDERS random orders.
    """
    values = np.asarray(blocks, np.float64)
    rng = np.random.default_rng(0)
    drawn = rng.permuted(np.broadcast_to(values, (ORDERS, *values.shape)), axis=2).sum(axis=1).var(axis=1)
    as_much = np.count_nonzero(drawn >= values.sum(axis=0).var() - 1e-9)
    return float((1 + as_much) / (1 + ORDERS))


def _sums(blocks: Sequence[Sequence[float]]) -> dict[float, int]:
    """Count the ways to reach each sum by taking one value of each block."""
    ways: dict[float, int] = {0: 1}
    for block in blocks:
        longer: dict[float, int] = {}
        for total, count in ways.items():
            for value in block:
                longer[total + value] = longer.get(total + value, 0) + count
        ways = longer
    return ways


def _share(ways: dict[float, int], counts: Callable[[float], bool]) -> float:
    return sum(n for total, n in ways.items() if counts(total)) / sum(ways.values())


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
