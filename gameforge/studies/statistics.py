"""Statistics over seeds that studies need beside those of a Sample: robust means, comparisons, and how many seeds.

The interquartile mean, the probability of improvement and intervals from stratified resampling are those of
[Agarwal2021]; the correction for several comparisons is that of [Holm1979]. scipy does the resampling (extra `report`).
A stratum has the values of one setting, seed by seed, and every stratum counts alike.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.experiments.samples import LEVEL, Sample

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


def exact_p(differences: Sequence[float], unit: float) -> float:
    """Return the exact p-value of paired differences (Sample.p), which are multiples of a unit but for rounding.

    The test counts the ways to reach each sum, so it needs whole numbers for more than a few seeds.
    """
    return Sample(round(difference / unit) for difference in differences).p


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
