"""Elo from paired games, and the sequential test of two Elo hypotheses, as fishtest does it.

The two games of a pair share an opening and are not independent; pairs of different games are. The results of a match
are therefore the numbers of pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points ("pentanomial"). Scores
here are points per game, in [0, 1].

Players without any randomness replay the same pair from the same opening. A game that repeats another adds no evidence,
so intervals use the effective number of independent pairs (`independent`, `played.DistinctGames`).

The generalised log-likelihood ratio of the test compares H1 (the difference is elo1) with H0 (it is elo0). Each
hypothesis fixes only one number of the distribution of a pair's five results: the mean score (logistic Elo), or its
distance from 1/2 in standard deviations (normalized Elo). The likeliest distribution with that number represents it.

M. Van den Bergh: A practical introduction to the GSPRT (support_MLE_multinomial, Proposition 1.1)
and Normalized Elo, section 4.1.
"""

import math
from collections.abc import Sequence

import attrs

from gameforge.errors import GameforgeError

Pentanomial = tuple[int, int, int, int, int]
"""Numbers of pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
CONFIDENCE = 1.959964
"""Half-width of a 95 % interval, in standard deviations."""
NORMALIZED = 800 / math.log(10)
"""Normalized Elo of one standard deviation of a game's score (M. Van den Bergh, Normalized Elo, 2020)."""


def independent(counts: Sequence[float], distinct: int) -> tuple[float, ...]:
    """Scale the counts of pairs by result to a number of distinct pairs; the mean score stays the same."""
    pairs = sum(counts)
    return tuple(count * distinct / pairs if pairs else 0.0 for count in counts)


def elo(score: float) -> float:
    """Return the (logistic) Elo difference that corresponds to a score; infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """Return the score that corresponds to an Elo difference."""
    return float(1 / (1 + 10 ** (-difference / 400)))


def mean_and_variance(counts: Sequence[float]) -> tuple[float, float]:
    """Return mean and variance of a pair's score, in points per game; (nan, nan) without pairs."""
    pairs = sum(counts)
    if pairs == 0:
        return math.nan, math.nan
    mean = sum(count * i / 4 for i, count in enumerate(counts)) / pairs
    return mean, sum(count * (i / 4 - mean) ** 2 for i, count in enumerate(counts)) / pairs


def score_interval(counts: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the score, within [0, 1], from the spread of the pairs (normal approximation).

    Pairs that are all alike have no spread. The half-width is then the share of other pairs at which a match of this
    length shows none of them with a probability of 2.5 %. Raises ZeroDivisionError without pairs. Counts may be those
    of independent pairs (`independent`); fewer than two of these, if not alike, determine nothing.
    """
    pairs = sum(counts)
    mean, variance = mean_and_variance(counts)
    if variance > 0 and pairs < 2:
        return 0.0, 1.0
    reach = 1 - _all_won(pairs) if variance == 0 else _reach(variance, pairs)
    return max(0.0, mean - reach), min(1.0, mean + reach)


def _reach(variance: float, pairs: float) -> float:
    """Half-width of the 95 % interval of a score, with the unbiased variance, since a match may have few pairs."""
    return CONFIDENCE * math.sqrt(variance / (pairs - 1))


def _all_won(pairs: float) -> float:
    """The score at which all pairs are won with a probability of 2.5 %."""
    return float(0.025 ** (1 / pairs))


def elo_error(counts: Sequence[float]) -> float:
    """Return half the width of `elo_interval`; inf if an end of it is infinite."""
    low, high = elo_interval(counts)
    return (high - low) / 2


def elo_interval(counts: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the Elo difference; an end that the pairs do not determine is infinite.

    The interval follows from the spread of the pairs. Pairs that are all alike, such as drawn games only, have no
    spread; the interval is then that of `score_interval`, and the score of a player who won all pairs is bounded by the
    one at which this happens with a probability of 2.5 %.
    """
    pairs = sum(counts)
    mean, variance = mean_and_variance(counts)
    if pairs and mean in (0, 1):
        bound = elo(_all_won(pairs))
        return (bound, math.inf) if mean else (-math.inf, -bound)
    if pairs < 2:
        return -math.inf, math.inf
    if variance == 0:
        low, high = score_interval(counts)
        return elo(low), elo(high)
    reach = _reach(variance, pairs)
    return elo(mean - reach), elo(mean + reach)


def elo_text(counts: Sequence[float]) -> str:
    """Format the Elo difference and its error as `Elo +52 +- 20`, or a bound that the pairs allow (95 %).

    A bound says something only if it shows which player is stronger; others are left out.
    """
    difference = elo(mean_and_variance(counts)[0]) if sum(counts) else math.nan
    low, high = elo_interval(counts)
    known = [f"Elo {difference:+.0f}"] if math.isfinite(difference) else []
    if math.isfinite(low) and math.isfinite(high):
        return f"{known[0]} +- {(high - low) / 2:.0f}"
    if math.isfinite(low) and low > 0:
        known.append(f"{'' if known else 'Elo '}more than {low:+.0f} (95 %)")
    elif math.isfinite(high) and high < 0:
        known.append(f"{'' if known else 'Elo '}less than {high:+.0f} (95 %)")
    else:
        known.append("error unknown" if known else "Elo unknown")
    return ", ".join(known)


def normalized_elo(counts: Sequence[float]) -> float:
    """Return the Elo difference in units of the spread of a game's score, which does not depend on the share of draws.

    The variance of a game is taken to be twice that of a pair's score. Returns nan if the pairs have no spread.
    """
    mean, variance = mean_and_variance(counts)
    return NORMALIZED * (mean - 0.5) / math.sqrt(2 * variance) if variance > 0 else math.nan


def elo_figures(name: str, counts: Sequence[float]) -> dict[str, float]:
    """Return figures of a match under keys that begin with a name, for metrics: `..._score`, in [0, 1], and, if both
    are finite, `..._elo` with its standard deviation `..._elo_deviation`. Empty without pairs.
    """
    if not sum(counts):
        return {}
    score = mean_and_variance(counts)[0]
    difference, error = elo(score), elo_error(counts)
    figures = {f"{name}_score": score}
    if math.isfinite(difference) and math.isfinite(error):
        figures |= {f"{name}_elo": difference, f"{name}_elo_deviation": error / CONFIDENCE}
    return figures


_PRIOR = 1e-3
"""Frequency that replaces 0, since every result is possible."""
_ROUNDS, _PRECISION = 10, 1e-9
MODELS = ("logistic", "normalized")
"""The scales of Elo that a test can use."""


def _probability(instance: object, attribute: "attrs.Attribute[float]", value: float) -> None:
    if not 0 < value < 0.5:
        raise GameforgeError(f"sprt: {attribute.name} = {value}: must be more than 0 and less than 0.5")


@attrs.frozen
class Sprt:
    """A test of whether the Elo difference of the player named first is elo1 rather than elo0."""

    elo0: float
    """Elo difference of the hypothesis H0."""
    elo1: float
    """Elo difference of the hypothesis H1, above elo0."""
    model: str = "logistic"
    """The scale of the Elo differences: `logistic`, that of `MatchResult.elo`, or `normalized`."""
    alpha: float = attrs.field(default=0.05, kw_only=True, validator=_probability)
    """Probability of accepting H1 although H0 is true."""
    beta: float = attrs.field(default=0.05, kw_only=True, validator=_probability)
    """Probability of accepting H0 although H1 is true."""

    def __attrs_post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise GameforgeError(f"sprt {self.elo0:g},{self.elo1:g}: the first Elo must be less than the second")
        if self.model not in MODELS:
            raise GameforgeError(f"sprt: model {self.model!r}: must be {' or '.join(MODELS)}")

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Parse `ELO0,ELO1` or `ELO0,ELO1,MODEL`; GameforgeError for other text."""
        parts = [part.strip() for part in text.split(",")]
        try:
            elo0, elo1 = map(float, parts[:2])
        except ValueError:
            parts = []
        if len(parts) not in (2, 3):
            raise GameforgeError(f"sprt {text!r}: must be ELO0,ELO1 or ELO0,ELO1,MODEL, for example 0,10,normalized")
        return cls(elo0, elo1, *parts[2:])

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at or below which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at or above which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio of pentanomial frequencies; 0 without pairs."""
        if sum(counts) == 0:
            return 0.0
        regular = [count or _PRIOR for count in counts]
        pairs = sum(regular)
        shares = [count / pairs for count in regular]
        if self.model == "logistic":
            means = expected_score(self.elo0), expected_score(self.elo1)
            p0, p1 = (_tilted(shares, [i / 4 - mean for i in range(len(shares))]) for mean in means)
        else:
            p0, p1 = (_with_deviations(shares, math.sqrt(2) * e / NORMALIZED) for e in (self.elo0, self.elo1))
        return pairs * sum(share * math.log(b / a) for share, a, b in zip(shares, p0, p1, strict=True))

    def accepted(self, counts: Sequence[float]) -> str | None:
        """Return the accepted hypothesis, `H0` or `H1`; None if more games are needed."""
        ratio = self.llr(counts)
        return "H0" if ratio <= self.lower else "H1" if ratio >= self.upper else None


def _with_deviations(shares: Sequence[float], deviations: float) -> list[float]:
    """Find the likeliest distribution whose mean lies this many standard deviations above 1/2, by iteration."""
    found = [1 / len(shares)] * len(shares)
    for _ in range(_ROUNDS):
        before = found
        mean, variance = mean_and_variance(before)
        sigma = math.sqrt(variance)
        values = [
            i / 4 - 0.5 - deviations * sigma * (1 + ((mean - i / 4) / sigma) ** 2) / 2 for i in range(len(shares))
        ]
        found = _tilted(shares, values)
        if max(abs(a - b) for a, b in zip(before, found, strict=True)) < _PRECISION:
            break
    return found


def _tilted(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return p / (1 + x v), with the x for which the values v have mean 0.

    That mean falls as x grows from -1 / max(v) to -1 / min(v). Newton's method finds x; steps that leave the bounds are
    replaced by bisection.
    """
    low, high = -1 / max(values), -1 / min(values)
    x = 0.0
    for _ in range(200):
        terms = [value / (1 + x * value) for value in values]
        mean = sum(share * term for share, term in zip(shares, terms, strict=True))
        if mean > 0:
            low = x
        else:
            high = x
        step = mean / sum(share * term * term for share, term in zip(shares, terms, strict=True))
        after = x + step
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - x) < 1e-12 * (1 + abs(x)):
            break
        x = after
    return [share / (1 + x * value) for share, value in zip(shares, values, strict=True)]
