"""How sure a figure is: intervals and tests for reports of few, costly repetitions.

Exact wherever the numbers are whole: the distribution under the null hypothesis is counted out, and
nothing is assumed to be normal unless it says so. What is drawn at random is drawn from a fixed seed,
so that a report can be made again.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

LEVEL = 0.95
"""Of all intervals."""
RESAMPLES = 10_000


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """Interval of the mean: percentiles of the means of resamples (B. Efron, 1979). Narrow for fewer than ten."""
    sample = np.asarray(values, np.float64)
    rng = np.random.default_rng(0)
    means = sample[rng.integers(len(sample), size=(RESAMPLES, len(sample)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def prediction_interval(values: Sequence[float]) -> tuple[float, float]:
    """Interval of one more value from where these come from, two or more: normal, by Student's t."""
    sample = np.asarray(values, np.float64)
    n = len(sample)
    t = np.quantile(np.abs(np.random.default_rng(0).standard_t(n - 1, 1_000_000)), LEVEL)
    reach = float(t * sample.std(ddof=1) * math.sqrt(1 + 1 / n))
    return float(sample.mean()) - reach, float(sample.mean()) + reach


def binomial_interval(hits: int, trials: int) -> tuple[float, float]:
    """Exact interval of a share (C. Clopper and E. Pearson, 1934)."""
    tail = (1 - LEVEL) / 2

    def at_least(share: float) -> float:
        return sum(_binomial(k, trials, share) for k in range(hits, trials + 1))

    def at_most(share: float) -> float:
        return 1 - at_least(share) + _binomial(hits, trials, share)

    low = 0.0 if hits == 0 else _bisect(lambda share: at_least(share) - tail)
    high = 1.0 if hits == trials else _bisect(lambda share: tail - at_most(share))
    return low, high


def sign_flip_test(differences: Sequence[int]) -> float:
    """Two-sided p that paired differences are as likely to be positive as negative; every sign is tried.

    The smallest p of n pairs is 2 / 2^n (R. Fisher, The design of experiments, 1935).
    """
    sums = _sums([(d, -d) for d in differences])
    observed = abs(sum(differences))
    return _share(sums, lambda total: abs(total) >= observed)


def placement_test(blocks: Sequence[Sequence[int]], column: int) -> tuple[float, float]:
    """(p of so high a sum, p of so low a sum) in one column, if each block's values lie in random order.

    blocks[i][j]: value of treatment j in repetition i, whole numbers. Each p is one-sided.
    """
    sums = _sums(blocks)
    observed = sum(block[column] for block in blocks)
    return _share(sums, lambda total: total >= observed), _share(sums, lambda total: total <= observed)


def treatments_test(blocks: Sequence[Sequence[float]]) -> float:
    """p that the columns' sums differ as much as they do, if each block's values lie in random order.

    The statistic is the variance of the sums (M. Friedman's test, 1937, on values instead of ranks); its
    distribution is drawn, RESAMPLES times.
    """
    table = np.asarray(blocks, np.float64)
    rng = np.random.default_rng(0)
    drawn = [rng.permuted(table, axis=1).sum(axis=0).var() for _ in range(RESAMPLES)]
    as_much = np.count_nonzero(np.array(drawn) >= table.sum(axis=0).var() - 1e-9)
    return float((1 + as_much) / (1 + RESAMPLES))


def _sums(blocks: Sequence[Sequence[int]]) -> dict[int, int]:
    """How many ways lead to each sum when one value of each block is taken."""
    ways = {0: 1}
    for block in blocks:
        longer: dict[int, int] = {}
        for total, count in ways.items():
            for value in block:
                longer[total + value] = longer.get(total + value, 0) + count
        ways = longer
    return ways


def _share(ways: dict[int, int], counts: Callable[[int], bool]) -> float:
    return sum(n for total, n in ways.items() if counts(total)) / sum(ways.values())


def _binomial(k: int, n: int, share: float) -> float:
    return math.comb(n, k) * share**k * (1 - share) ** (n - k)


def _bisect(rising: Callable[[float], float]) -> float:
    """Where a rising function of a share is 0."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
