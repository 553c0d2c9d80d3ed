"""Match results as experiments keep them: added up over matches, and over seeds, with error bars."""

import math
from collections.abc import Iterable

import attrs

from gameforge.arena import MatchResult
from gameforge.arena.elo import elo, elo_interval, independent, mean_and_variance, score_interval
from gameforge.experiments.statistics import SHARE, Sample
from gameforge.interfaces.learner import Numbers


@attrs.frozen(kw_only=True)
class Tally:
    """Results of the first player in one or more matches, with 95 % intervals from the distinct pairs of games."""

    wins: int = 0
    """Games that the first player won."""
    draws: int = 0
    """Drawn games, loops included."""
    losses: int = 0
    """Games that the first player lost."""
    pairs: tuple[int, ...] = (0, 0, 0, 0, 0)
    """Number of pairs of games in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
    loops: int = 0
    """Draws that the game counts as loops."""
    distinct: int = 0
    """Number of different games, counted within each match."""
    distinct_pairs: int = 0
    """Pairs to which the different games of each match amount: the independent units of all intervals."""

    @classmethod
    def of(cls, result: MatchResult) -> "Tally":
        """Return the tally of one match."""
        return cls(pairs=result.pentanomial, **{name: getattr(result, name) for name in _COUNTS})

    @classmethod
    def read(cls, numbers: Numbers) -> "Tally":
        """Restore a tally from its `numbers`, also after a round trip through JSON."""
        return cls(**{**numbers, "pairs": tuple(numbers["pairs"])})

    @classmethod
    def total(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Return the sum of one or more tallies."""
        found = list(tallies)
        return cls(
            pairs=tuple(map(sum, zip(*(one.pairs for one in found), strict=True))),
            **{name: sum(getattr(one, name) for one in found) for name in _COUNTS},
        )

    @property
    def numbers(self) -> dict[str, int | tuple[int, ...]]:
        """The counts, for JSON."""
        return attrs.asdict(self)

    @property
    def turned(self) -> "Tally":
        """The same matches for the second player."""
        return attrs.evolve(self, wins=self.losses, losses=self.wins, pairs=self.pairs[::-1])

    @property
    def distinct_text(self) -> str:
        """Distinct games of all games, such as `1,498 of 1,500`; those of a sum are counted within each match."""
        return f"{self.distinct:,} of {self.games:,}"

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def repeats(self) -> bool:
        """Whether fewer than half of the games are distinct."""
        return 2 * self.distinct < self.games

    @property
    def _units(self) -> tuple[float, ...]:
        return independent(self.pairs, self.distinct_pairs)

    @property
    def score(self) -> float:
        """Points per game; a draw is half a point."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score."""
        return score_interval(self._units)

    @property
    def elo(self) -> float:
        """Elo difference that corresponds to the score of the pairs."""
        return elo(mean_and_variance(self.pairs)[0])

    @property
    def elo_interval(self) -> tuple[float, float]:
        """95 % interval of the Elo difference."""
        return elo_interval(self._units)

    @property
    def result(self) -> str:
        """Wins, losses and draws, in the order of [KimCho2007]."""
        return f"{self.wins}/{self.losses}/{self.draws}"


def _tallies(seeds: Iterable[Tally]) -> tuple[Tally, ...]:
    return tuple(seeds)


@attrs.frozen
class Matches:
    """The same match played with each seed: one tally per seed."""

    seeds: tuple[Tally, ...] = attrs.field(converter=_tallies)
    """The tally of each seed."""

    @classmethod
    def read(cls, numbers: Iterable[Numbers]) -> "Matches":
        """Restore the tallies from their `numbers`, seed by seed."""
        return cls(map(Tally.read, numbers))

    @property
    def total(self) -> Tally:
        """All games together."""
        return Tally.total(self.seeds)

    @property
    def scores(self) -> Sample:
        """Points per game, seed by seed."""
        return Sample((one.score for one in self.seeds), SHARE, 2)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean score of the seeds; with too few seeds for a verdict, over the pairs of games."""
        scores = self.scores
        return scores.interval if scores.enough else self.total.interval

    def __str__(self) -> str:
        """Score and interval, such as `0.63 (0.55 to 0.71)`."""
        low, high = self.interval
        return f"{self.total.score:.2f} ({self._equal or f'{low:.2f} to {high:.2f}'})"

    @property
    def elo_interval(self) -> tuple[float, float]:
        """95 % interval of the Elo difference of the mean score; an end that the games do not determine is infinite.

        It is that of the score over seeds, because a seed in which a player won all games has no finite Elo difference.
        With too few seeds for a verdict, it is that of the pairs.
        """
        low, high = self.interval
        return (elo(low), elo(high)) if self.scores.enough else self.total.elo_interval

    @property
    def elo_text(self) -> str:
        """Elo difference and interval, such as `+52 (+31 to +74)` or `+inf (more than +381)`."""
        return f"{self.total.elo:+.0f} ({self._equal or elo_bounds(*self.elo_interval)})"

    @property
    def _equal(self) -> str:
        """Says that all seeds are equal, if they are the units of the interval and have no spread."""
        return self.scores.all_equal if self.scores.enough else ""


def elo_bounds(low: float, high: float) -> str:
    """Format an interval of Elo differences by its finite ends, such as `+31 to +74` or `more than +381`."""
    if math.isfinite(low) and math.isfinite(high):
        return f"{low:+.0f} to {high:+.0f}"
    if math.isfinite(low):
        return f"more than {low:+.0f}"
    return f"less than {high:+.0f}" if math.isfinite(high) else "unknown"


_COUNTS = [attribute.name for attribute in attrs.fields(Tally) if attribute.name != "pairs"]
