"""Confidence intervals and tests for reports of few, costly repetitions.

Intervals come from scipy, which is imported when a report needs one (`pip install 'gameforge[report]'`). The exact
permutation tests count the ways to reach each sum, so that they need not list every permutation of integers.
Random orders have a fixed seed, so that reports are reproducible.
"""

from collections.abc import Callable, Sequence

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
