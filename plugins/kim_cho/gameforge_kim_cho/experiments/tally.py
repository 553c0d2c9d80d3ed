"""Results of matches as an experiment keeps them: added up over seeds, with error bars."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.play.arena import MatchResult
from gameforge.play.arena.elo import score_interval

NONE = (0, 0, 0, 0, 0)


@attrs.frozen(kw_only=True)
class Tally:
    """Of the first player, over one match or several."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, ...] = NONE
    """How many pairs of games brought 0, 1/2, 1, 3/2, 2 points."""

    @classmethod
    def of(cls, result: MatchResult) -> "Tally":
        return cls(wins=result.wins, draws=result.draws, losses=result.losses, pairs=result.pentanomial)

    @classmethod
    def read(cls, numbers: Mapping[str, Any]) -> "Tally":
        """What `numbers` gave, also through JSON."""
        return cls(**{**numbers, "pairs": tuple(numbers["pairs"])})

    @classmethod
    def total(cls, numbers: Sequence[Mapping[str, Any]]) -> "Tally":
        """Of several matches as JSON has them."""
        tallies = [cls.read(one) for one in numbers]
        return cls(
            wins=sum(one.wins for one in tallies),
            draws=sum(one.draws for one in tallies),
            losses=sum(one.losses for one in tallies),
            pairs=tuple(map(sum, zip(*(one.pairs for one in tallies), strict=True))),
        )

    @property
    def numbers(self) -> dict[str, Any]:
        return attrs.asdict(self)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game, a draw being half of one."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score."""
        return score_interval(self.pairs)

    @property
    def is_better(self) -> bool:
        """Whether more than half of the points is beyond the error."""
        return self.interval[0] > 0.5

    @property
    def is_worse(self) -> bool:
        return self.interval[1] < 0.5

    @property
    def text(self) -> str:
        """`0.63 (0.55 to 0.71)`."""
        low, high = self.interval
        return f"{self.score:.2f} ({low:.2f} to {high:.2f})"

    @property
    def result(self) -> str:
        """Wins, losses and draws in the order in which the papers give them."""
        return f"{self.wins}/{self.losses}/{self.draws}"
