"""State of a self-play training between two games, and its conversion to and from checkpoints."""

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge_learn_td.figures import Figures

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
