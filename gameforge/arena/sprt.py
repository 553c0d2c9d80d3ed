"""Sequential test of two Elo hypotheses, as fishtest does it.

The generalised log-likelihood ratio compares H1 (the difference is elo1) with H0 (it is elo0). Each hypothesis fixes
only one number of the distribution of a pair's five results: the mean score (logistic Elo), or its distance from 1/2
in standard deviations (normalized Elo). The likeliest distribution with that number represents it.

M. Van den Bergh: A practical introduction to the GSPRT (support_MLE_multinomial, Proposition 1.1)
and Normalized Elo, section 4.1.
"""

import math
from collections.abc import Sequence

import attrs

from gameforge.arena.elo import NORMALIZED, expected_score, mean_and_variance
from gameforge.errors import GameforgeError

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
