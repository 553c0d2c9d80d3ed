"""State of a search, and its conversion to and from checkpoints."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge.play.arena.contests import Contest
from gameforge_learn_cem.distribution import Distribution

_DRAW = -1


@attrs.define
class TrainingState:
    """Everything that changes during a search."""

    laws: list[Distribution]
    """One distribution per parameter."""
    iteration: int = 0
    """Finished iterations."""
    games: list[Contest] = attrs.field(factory=list)
    """Finished games of the current iteration, in their order."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        winners = [_DRAW if game.winner is None else game.winner for game in self.games]
        return LearnerState(
            arrays={
                "codes": np.array([game.code for game in self.games], np.int64),
                "winners": np.array(winners, np.int64),
                "lengths": np.array([len(game.moves) for game in self.games], np.int64),
                "moves": np.array([move for game in self.games for move in game.moves], np.uint64),
            },
            values={"iteration": self.iteration, "laws": [[law.mean, law.deviation] for law in self.laws]},
        )

    @classmethod
    def restored(cls, saved: LearnerState, first: Sequence[Distribution]) -> "TrainingState":
        """The state that `snapshot` saved; GameforgeError if it is of another number of parameters."""
        try:
            laws = [
                attrs.evolve(law, mean=float(mean), deviation=float(deviation))
                for law, (mean, deviation) in zip(first, saved.values["laws"], strict=True)
            ]
            codes, winners, lengths, moves = (
                saved.arrays[name].tolist() for name in ("codes", "winners", "lengths", "moves")
            )
            ends: list[int] = np.cumsum(lengths, dtype=np.int64).tolist()
            rows: Any = zip(codes, winners, lengths, ends, strict=True)
            games = [
                Contest(code, tuple(moves[end - length : end]), None if winner == _DRAW else winner)
                for code, winner, length, end in rows
            ]
            return cls(laws, int(saved.values["iteration"]), games)
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(f"learner cem: the checkpoint does not match these parameters: {error}") from error
