"""A pairing from the ballots, all seeds together."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.play.arena.elo import elo, elo_interval, mean_and_variance


@attrs.frozen
class Ballots:
    """Sums over matches; pairs are counted by their points, as gameforge.play.arena.elo does."""

    pentanomial: tuple[int, ...]
    won: int
    drawn: int
    lost: int
    loops: int
    distinct: int

    @classmethod
    def of(cls, matches: Sequence[Mapping[str, Any]]) -> "Ballots":
        """The results that match folders keep."""
        sums = {key: sum(one[key] for one in matches) for key in ("wins", "draws", "losses", "loops", "distinct")}
        return cls(tuple(map(sum, zip(*(one["pentanomial"] for one in matches), strict=True))), *sums.values())

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def elo(self) -> float:
        return elo(mean_and_variance(self.pentanomial)[0])

    @property
    def interval(self) -> tuple[float, float]:
        """Of 95 %."""
        return elo_interval(self.pentanomial)

    @property
    def text(self) -> str:
        low, high = self.interval
        return f"{self.elo:+.0f} ({low:+.0f} to {high:+.0f})"
