"""Elo from paired games.

The two games of a pair share an opening and are not independent; pairs are. A match is therefore
counted in pairs by their points, five frequencies ("pentanomial"): 0, 1/2, 1, 3/2 or 2 points of
the first player. Scores here are points per game, in [0, 1].
"""

import math
from collections.abc import Sequence

Pentanomial = tuple[int, int, int, int, int]
"""How many pairs the first player finished with 0, 1/2, 1, 3/2, 2 points."""
CONFIDENCE = 1.959964
"""Standard deviations of half of a 95 % interval."""
NORMALIZED = 800 / math.log(10)
"""Normalized Elo of one standard deviation of a game's score (M. Van den Bergh, Normalized Elo, 2020)."""


def pentanomial(points: Sequence[int]) -> Pentanomial:
    """Frequencies of pairs (games 2i and 2i + 1), from the points (2, 1, 0) of the first player in each game."""
    counts = [0] * 5
    for i in range(0, len(points) - 1, 2):
        counts[points[i] + points[i + 1]] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def elo(score: float) -> float:
    """The Elo difference that a score stands for (logistic); infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """The score that an Elo difference stands for."""
    return float(1 / (1 + 10 ** (-difference / 400)))


def mean_and_variance(counts: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of a pair's score; (nan, nan) without pairs."""
    pairs = sum(counts)
    if pairs == 0:
        return math.nan, math.nan
    mean = sum(count * i / 4 for i, count in enumerate(counts)) / pairs
    return mean, sum(count * (i / 4 - mean) ** 2 for i, count in enumerate(counts)) / pairs


def score_interval(counts: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the score, from the spread of the pairs (normal, unbiased), within [0, 1].

    Pairs that are all alike have no spread: their number tells how often others may be missed (2.5 % to see none).
    Raises ZeroDivisionError without pairs.
    """
    pairs = sum(counts)
    mean, variance = mean_and_variance(counts)
    reach = 1 - _all_won(pairs) if variance == 0 else _reach(variance, pairs)
    return max(0.0, mean - reach), min(1.0, mean + reach)


def _reach(variance: float, pairs: float) -> float:
    """Half of the 95 % interval of a score (normal), with the unbiased variance: a match may be of a few pairs."""
    return CONFIDENCE * math.sqrt(variance / (pairs - 1))


def _all_won(pairs: float) -> float:
    """The score with which all of so many pairs are won in 2.5 %."""
    return float(0.025 ** (1 / pairs))


def elo_error(counts: Sequence[float]) -> float:
    """Half of `elo_interval`; inf where that has no end."""
    low, high = elo_interval(counts)
    return (high - low) / 2


def elo_interval(counts: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the Elo difference; an end that the pairs do not tell is infinite.

    From their spread. Where the first player won all pairs, or lost all, there is none: then the score is bounded by
    that with which this happens in 2.5 %.
    """
    pairs = sum(counts)
    mean, variance = mean_and_variance(counts)
    if pairs and mean in (0, 1):
        bound = elo(_all_won(pairs))
        return (bound, math.inf) if mean else (-math.inf, -bound)
    if pairs < 2:
        return -math.inf, math.inf
    reach = _reach(variance, pairs)
    return elo(mean - reach), elo(mean + reach)


def elo_text(counts: Sequence[float]) -> str:
    """The Elo difference and its error in words: `Elo +52 +- 20`, or what else the pairs tell (95 %)."""
    difference = elo(mean_and_variance(counts)[0]) if sum(counts) else math.nan
    low, high = elo_interval(counts)
    known = [f"Elo {difference:+.0f}"] if math.isfinite(difference) else []
    if math.isfinite(low) and math.isfinite(high):
        return f"{known[0]} +- {(high - low) / 2:.0f}"
    if math.isfinite(low):
        known.append(f"{'' if known else 'Elo '}more than {low:+.0f} (95 %)")
    elif math.isfinite(high):
        known.append(f"{'' if known else 'Elo '}less than {high:+.0f} (95 %)")
    else:
        known.append("error unknown" if known else "Elo unknown")
    return ", ".join(known)


def normalized_elo(counts: Sequence[float]) -> float:
    """Elo in units of the spread of a game's score: it does not depend on how many games are drawn. nan without spread.

    A pair's variance, times 2, stands for that of a game.
    """
    mean, variance = mean_and_variance(counts)
    return NORMALIZED * (mean - 0.5) / math.sqrt(2 * variance) if variance > 0 else math.nan


def normalized_elo_error(counts: Sequence[float]) -> float:
    """Half of the 95 % interval of `normalized_elo`; inf where the pairs show none."""
    pairs = sum(counts)
    return CONFIDENCE * NORMALIZED / math.sqrt(2 * pairs) if pairs and mean_and_variance(counts)[1] > 0 else math.inf
