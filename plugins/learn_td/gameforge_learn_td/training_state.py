"""State of a self-play training between two games: the session's figures, and everything that a checkpoint holds."""

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState, Outcome
from gameforge.kernel import FloatArray
from gameforge.storage import checkpoint


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


Candidate = tuple[str, FloatArray]
"""A net with its name."""


@attrs.define(kw_only=True)
class TrainingState:
    """Everything that changes during a training."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    net: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    """Changed in place by the training games."""
    opponent: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    names: list[str] = attrs.field(factory=list, metadata=checkpoint.kept(name="generations"))
    """Names of the copies of the net."""
    copies: dict[int, FloatArray] = attrs.field(factory=dict, metadata=checkpoint.kept("weights", name="generation"))
    """Copies of the net, by the place of their names."""
    changes: dict[int, FloatArray] = attrs.field(factory=dict, metadata=checkpoint.kept("weights"))
    """With coherence: the sums of the net's changes and of their absolute values, then those of the opponent."""
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

    @property
    def generations(self) -> list[Candidate]:
        """The copies of the net, with their names."""
        return [(name, self.copies[i]) for i, name in enumerate(self.names)]

    def keep(self, name: str, weights: FloatArray) -> None:
        """Add a copy of a net to the generations."""
        self.copies[len(self.names)] = weights.copy()
        self.names.append(name)

    @classmethod
    def restored(cls, state: LearnerState, weights: int) -> "TrainingState":
        """Restore the state of a checkpoint; GameforgeError if the net has another number of weights."""
        mismatch = "learner td: the checkpoint does not match this network"
        found = checkpoint.unpack(cls, state, mismatch, weights=weights)
        if sorted(found.copies) != list(range(len(found.names))):
            raise GameforgeError(f"{mismatch}: expected {len(found.names)} generations, got {len(found.copies)}")
        return found
