"""State of a self-play training between two games: the session's figures, and everything that a checkpoint holds."""

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState, Outcome


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


Floats = NDArray[np.float32]
_COUNTERS = ("session", "board", "done", "played")
Candidate = tuple[str, Floats]
"""A net with its name."""


@attrs.define
class TrainingState:
    """Everything that changes during a training."""

    initial: Floats
    net: Floats
    """Changed in place by the training games."""
    opponent: Floats
    generations: list[Candidate] = attrs.field(factory=list)
    """Copies of the net, with their names."""
    session: int = 1
    board: int = 0
    done: int = 0
    """Training games that the session has played on this board."""
    played: int = 0
    """Training games of all sessions."""
    figures: Figures = attrs.field(factory=Figures)
    """Figures of the current session."""
    totals: dict[str, int] = attrs.field(factory=dict)
    """Totals of the finished sessions."""
    tournament: list[int | None] = attrs.field(factory=list)
    """Winners of the final tournament's games so far: 0, 1, None for a draw."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        arrays = {"initial": self.initial, "net": self.net, "opponent": self.opponent}
        arrays |= {f"generation {i}": weights for i, (_, weights) in enumerate(self.generations)}
        values = {name: getattr(self, name) for name in _COUNTERS} | {
            "generations": [name for name, _ in self.generations],
            "figures": attrs.asdict(self.figures),
            "totals": dict(self.totals),
            "tournament": list(self.tournament),
        }
        return LearnerState(arrays={name: array.copy() for name, array in arrays.items()}, values=values)

    @classmethod
    def restored(cls, saved: LearnerState, weights: int) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if the net has another number of weights."""
        try:
            names = saved.value("generations", list[str])
            initial, net, opponent = (saved.floats(name, (weights,)) for name in ("initial", "net", "opponent"))
            return cls(
                initial,
                net,
                opponent,
                generations=[(name, saved.floats(f"generation {i}", (weights,))) for i, name in enumerate(names)],
                figures=saved.value("figures", Figures),
                totals=saved.value("totals", dict[str, int]),
                tournament=saved.value("tournament", list[int | None]),
                **{name: saved.count(name) for name in _COUNTERS},
            )
        except ValueError as error:
            raise GameforgeError(f"learner td: the checkpoint does not match this network: {error}") from error
