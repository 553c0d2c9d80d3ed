"""Totals of the training games of a session."""

import attrs

from gameforge.interfaces.outcome import Outcome


@attrs.define
class Figures:
    """Sums over training games, from the net's point of view."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    loops: int = 0
    """Loop draws, which are also counted as draws."""
    plies: int = 0
    balance: float = 0.0
    """The net's material minus its opponent's at the end of each game."""
    probes: int = 0
    """Positions that were looked up in the players' oracles."""
    hits: int = 0
    """Lookups that found a result."""
    seconds: float = 0.0

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws

    def add(self, outcome: Outcome, side: int, plies: int, material: tuple[float, float]) -> None:
        """Add a game."""
        points = outcome.points(side)
        self.wins += points == 2
        self.draws += points == 1
        self.losses += points == 0
        self.loops += outcome.loop
        self.plies += plies
        self.balance += material[side] - material[1 - side]

    def counts(self) -> dict[str, int]:
        """Counts that are added up over sessions; oracle lookups only if there were any."""
        games = {"wins": self.wins, "losses": self.losses, "draws": self.draws, "loops": self.loops}
        return games | ({"probes": self.probes, "hits": self.hits} if self.probes else {})
