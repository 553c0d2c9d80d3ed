"""Statistics over seeds: samples with intervals, exact tests and verdicts, and comparisons of settings.

A sample has the values of a figure, one from each seed, for few and costly repetitions. The exact permutation test
counts the ways to reach each sum, so that it need not list every permutation of integers.

The interquartile mean, the probability of improvement and intervals from stratified resampling are those of
[Agarwal2021]; the correction for several comparisons is that of [Holm1979]. A stratum has the values of one setting,
seed by seed, and every stratum counts alike.

Intervals come from scipy, which is imported when a report needs one (`pip install 'gameforge[report]'`).
"""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.experiments.report import Report, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.95
"""Confidence level of all intervals."""
UNBOUNDED = (-np.inf, np.inf)
"""Range of values without limits."""
SHARE = (0.0, 1.0)
"""Range of values that are shares of a whole, such as scores in points a game."""
NOT_NEGATIVE = (0.0, np.inf)
"""Range of values such as counts and rates."""
ROUNDING = 1e-9
"""Sums of fractions that differ by less than this share of all their terms are equal but for rounding."""


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(values)


@attrs.frozen
class Sample:
    """The values of a figure, one from each seed."""

    values: tuple[float, ...] = attrs.field(converter=_floats)
    """In the order of the seeds."""
    within: tuple[float, float] = UNBOUNDED
    """The smallest and largest possible values, at which intervals of the mean are cut off."""
    digits: int = 0
    """Number of decimals in texts."""

    def __iter__(self) -> Iterator[float]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __sub__(self, other: "Sample") -> "Sample":
        """The differences seed by seed."""
        return Sample((a - b for a, b in zip(self, other, strict=True)), digits=self.digits)

    @classmethod
    def average(cls, samples: Sequence["Sample"]) -> "Sample":
        """Return the mean of several samples, seed by seed."""
        return cls(map(statistics.fmean, zip(*samples, strict=True)), samples[0].within, samples[0].digits)

    def in_units(self, unit: float) -> "Sample":
        """Return the values as whole numbers of a unit, of which they are multiples but for rounding.

        The exact test (`p`) counts the ways to reach each sum, so it needs whole numbers for more than a few seeds.
        """
        return Sample(round(value / unit) for value in self)

    @property
    def mean(self) -> float:
        """Mean over the seeds."""
        return statistics.fmean(self.values)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean of a normal distribution (Student's t); of one value, all that is possible."""
        from scipy.stats import t

        sample, (least, most) = np.asarray(self.values, np.float64), map(float, self.within)
        if len(sample) == 1:
            return least, most
        if np.ptp(sample) == 0:
            return float(sample[0]), float(sample[0])
        error = sample.std(ddof=1) / np.sqrt(len(sample))
        low, high = t.interval(LEVEL, len(sample) - 1, loc=sample.mean(), scale=error)
        return max(float(low), least), min(float(high), most)

    @property
    def prediction(self) -> tuple[float, float]:
        """95 % interval of one more value of the same normal distribution (Student's t); needs two values."""
        from scipy.stats import t

        sample = np.asarray(self.values, np.float64)
        n = len(sample)
        if np.ptp(sample) == 0:
            return float(sample[0]), float(sample[0])
        low, high = t.interval(LEVEL, n - 1, loc=sample.mean(), scale=sample.std(ddof=1) * np.sqrt(1 + 1 / n))
        return float(low), float(high)

    @property
    def p(self) -> float:
        """Exact two-sided p-value of paired differences, if both signs are equally likely.

        The smallest p-value that n pairs can reach is 2 / 2^n (R. Fisher, The design of experiments, 1935).
        """
        ways: dict[float, int] = {0: 1}  # to reach each sum with one sign of each difference
        for d in self:
            longer: dict[float, int] = {}
            for total, count in ways.items():
                for signed in (total + d, total - d):
                    longer[signed] = longer.get(signed, 0) + count
            ways = longer
        observed = abs(sum(self)) - ROUNDING * sum(map(abs, self))
        return sum(n for total, n in ways.items() if abs(total) >= observed) / sum(ways.values())

    @property
    def enough(self) -> bool:
        """Whether there are enough seeds for a verdict about a method."""
        return len(self) >= Report.FEWEST_SEEDS

    def above(self, limit: float = 0.0) -> Verdict:
        """Judge the claim that the mean is above a limit."""
        if not self.enough:
            return Verdict.DESCRIPTIVE
        low, high = Sample(value - limit for value in self).interval
        return Verdict.HOLDS if low > 0 else Verdict.FAILS if high < 0 else Verdict.NOT_SHOWN

    def near(self, limit: float, margin: float) -> Verdict:
        """Judge the claim that the mean does not differ from a limit.

        It holds if the interval of the mean lies within the margin, and does not hold if the mean differs from the
        limit beyond chance. Otherwise the seeds are too few to tell, and the claim is not informative.
        """
        if not self.enough:
            return Verdict.DESCRIPTIVE
        low, high = Sample(value - limit for value in self).interval
        if -margin < low and high < margin:
            return Verdict.HOLDS
        return Verdict.FAILS if low > 0 or high < 0 else Verdict.NOT_INFORMATIVE

    def every(self) -> Verdict:
        """Judge the claim that something is true, with values 1 and 0, of all seeds; it fails if it is of none."""
        if not self.enough:
            return Verdict.DESCRIPTIVE
        return Verdict.HOLDS if all(self) else Verdict.NOT_SHOWN if any(self) else Verdict.FAILS

    def __str__(self) -> str:
        """The mean, with its 95 % interval if there are several seeds, such as `0.63 (0.55 to 0.71)`."""
        return self._with_interval(self.mean_text)

    @property
    def signed(self) -> str:
        """The mean with its sign, and its interval: the text of differences, such as `+0.13 (0.05 to 0.21)`."""
        return self._with_interval(f"{self.mean:+,.{self.digits}f}")

    @property
    def mean_text(self) -> str:
        """The mean."""
        return number(self.mean, self.digits)

    @property
    def interval_text(self) -> str:
        """The 95 % interval of the mean; empty for one seed, and a remark if all seeds are equal.

        Equal values have no spread, from which an interval could be computed.
        """
        return "" if len(self) < 2 else self.all_equal or self.between(*self.interval)

    @property
    def range_text(self) -> str:
        """The smallest and the largest value, such as `0.51 to 0.75`."""
        return self.between(min(self), max(self))

    @property
    def all_equal(self) -> str:
        """`all 5 seeds equal` if the values of several seeds are, and an empty text otherwise."""
        return f"all {len(self)} seeds equal" if len(self) > 1 and min(self) == max(self) else ""

    def between(self, low: float, high: float) -> str:
        """Format an interval as `low to high`."""
        return f"{number(low, self.digits)} to {number(high, self.digits)}"

    def _with_interval(self, mean: str) -> str:
        return f"{mean} ({self.interval_text})" if len(self) > 1 else mean

    @staticmethod
    def binomial_interval(hits: int, trials: int) -> tuple[float, float]:
        """Exact confidence interval of a proportion [Clopper1934]."""
        from scipy.stats import binomtest

        found = binomtest(hits, trials).proportion_ci(LEVEL, method="exact")
        return float(found.low), float(found.high)

    def draw(self, axes: "Axes", place: float, *, upright: bool = False, spread: float = 0.0) -> None:
        """Draw a dot for each seed, a mark for the mean and, of several seeds, a bar for its interval.

        place: that of the sample on the other axis. upright: values are on the y axis. spread: width over which the
        dots are spread, so that equal ones can be told apart.
        """

        n = len(self)
        places = [place + (k - (n - 1) / 2) * spread / n for k in range(n)]

        def turned(values: Sequence[float], places: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
            return (places, values) if upright else (values, places)

        axes.plot(*turned(self.values, places), "o", color="tab:blue", alpha=0.5, markersize=4)
        mark = "_" if upright else "|"
        axes.plot(*turned([self.mean], [place]), mark, color="black", markersize=16, markeredgewidth=2)
        if n > 1:
            axes.plot(*turned(self.interval, [place, place]), color="black", linewidth=6, alpha=0.25)


def number(value: float, digits: int = 0) -> str:
    """Format a number with thousands separators, and without a sign before zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def probability(p: float) -> str:
    """Format a probability with two significant digits, or as `< 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.095 else f"{p:.2f}"


Floats = NDArray[np.float64]
RESAMPLES = 2000
"""Number of resamples behind an interval."""
_SEED = 0
"""The report of the same figures is always the same."""
POWER = 0.8
"""Probability with which the seeds that a report names would show the difference."""
_MOST_SEEDS = 10_000
_FAR = 8.0
"""Standard deviations beyond which the power is 1."""


@attrs.frozen
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def text(self, digits: int) -> str:
        """Format it as `0.63 (0.55 to 0.71)`."""
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


def interquartile_mean(strata: Sequence[Sequence[float]]) -> Estimate:
    """Return the mean of the middle half of all values, with the interval from resampling the seeds of each stratum."""
    from scipy.stats import trim_mean

    def middle(*strata: Floats, axis: int) -> Floats:
        return trim_mean(np.concatenate(strata, axis=axis), 0.25, axis=axis)

    return _resampled(middle, strata)


def probability_of_improvement(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> Estimate:
    """Return how probable it is that a run of the first kind has a higher value than one of the second.

    It is the mean over the strata, in which all runs of both kinds are compared; equal values count as one half. Values
    at the same place have the same seed, and are resampled together.
    """
    strata = [[*zip(a, b, strict=True)] for a, b in zip(first, second, strict=True)]
    rng = np.random.default_rng(_SEED)
    values = [np.array(stratum) for stratum in strata]
    resampled = np.mean([_improved(_drawn(stratum, rng)) for stratum in values], axis=0)
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(float(np.mean([_improved(stratum) for stratum in values])), float(low), float(high))


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values of several comparisons, corrected so that any of them is below 0.05 by chance in 5 %."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    corrected, least = [0.0] * len(values), 0.0
    for place, i in enumerate(order):
        least = max(least, min(1.0, (len(values) - place) * values[i]))
        corrected[i] = least
    return corrected


def seeds_needed(differences: Sequence[float], comparisons: int = 1) -> int | None:
    """Return the number of seeds that would show a difference like this one with a probability of 80 %.

    differences: those seen, seed by seed. comparisons: number of comparisons that share the 5 % (Bonferroni). It is the
    power of a paired t-test, and at least what the exact test needs. None if the mean is 0, if there are fewer than two
    seeds, or if it is above 10,000.
    """
    from scipy.stats import nct, t

    if len(differences) < 2:
        return None
    values = np.asarray(differences, np.float64)
    mean, deviation = abs(float(values.mean())), float(values.std(ddof=1))
    if mean == 0:
        return None
    alpha = (1 - LEVEL) / comparisons
    least = fewest_seeds(comparisons)
    if deviation == 0:
        return least

    def shows(seeds: int) -> bool:
        limit, shift = float(t.ppf(1 - alpha / 2, seeds - 1)), mean / deviation * math.sqrt(seeds)
        if shift > limit + _FAR:  # where nct loses its precision
            return True
        return float(nct.sf(limit, seeds - 1, shift)) >= POWER

    if not shows(_MOST_SEEDS):
        return None
    low, high = 1, _MOST_SEEDS  # `low` seeds do not show it, `high` do
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return max(least, high)


def fewest_seeds(comparisons: int = 1) -> int:
    """Return from how many seeds on the exact test can show a difference at all, among this many comparisons."""
    return next(n for n in range(1, 64) if comparisons * 2 / 2**n <= 1 - LEVEL)


def profile(values: Sequence[float], limits: Sequence[float]) -> list[float]:
    """Return for each limit the share of values above it (a performance profile)."""
    return [sum(value > limit for value in values) / len(values) for limit in limits]


def _resampled(statistic: Callable[..., Any], strata: Sequence[Sequence[float]]) -> Estimate:
    from scipy.stats import bootstrap

    value = float(statistic(*map(np.asarray, strata), axis=0))
    if all(len(set(stratum)) < 2 for stratum in strata):  # nothing to resample
        return Estimate(value, value, value)
    found = bootstrap(
        strata,
        statistic,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return Estimate(value, float(found.low), float(found.high))


def _drawn(pairs: Floats, rng: np.random.Generator) -> Floats:
    """Draw as many pairs as there are, RESAMPLES times: shape (resamples, pairs, 2)."""
    return pairs[rng.integers(len(pairs), size=(RESAMPLES, len(pairs)))]


def _improved(pairs: Floats) -> Floats:
    """Return the share of comparisons that the first of each pair wins, of pairs with shape (..., pairs, 2)."""
    first, second = pairs[..., :, None, 0], pairs[..., None, :, 1]
    return ((first > second) + 0.5 * (first == second)).mean(axis=(-2, -1))
