"""State of the learner `roulette`, and its conversion to and from checkpoints."""

from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge_learn_evolve.genome import Floats


@attrs.define
class RouletteState:
    """Everything that changes during a training."""

    population: list[Floats]
    generation: int = 0
    """Finished generations."""
    results: dict[int, tuple[int, int]] = attrs.field(factory=dict)
    """(wins, draws) of the individuals of this generation that have played."""
    first_best: Floats | None = None
    """Weights of the best of the first population."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        arrays: dict[str, Any] = {"population": np.array(self.population)}
        if self.first_best is not None:
            arrays["first best"] = self.first_best
        values = {"generation": self.generation, "results": [(i, *found) for i, found in self.results.items()]}
        return LearnerState(arrays=arrays, values=values)

    @classmethod
    def restored(cls, saved: LearnerState, population: int, weights: int, games: int) -> "RouletteState":
        """Restore the state that `snapshot` saved; GameforgeError if it does not match these numbers."""
        try:
            individuals = saved.floats("population", (population, weights))
            results = saved.value("results", list[tuple[int, int, int]])
            first_best = saved.floats("first best", (weights,)) if "first best" in saved.arrays else None
            for i, wins, draws in results:
                if not 0 <= i < population or min(wins, draws) < 0 or wins + draws > games:
                    raise ValueError(f"results: {[i, wins, draws]} is not a result of {games} games")
            played = {i: (wins, draws) for i, wins, draws in results}
            return cls(list(individuals), saved.count("generation"), played, first_best)
        except ValueError as error:
            raise GameforgeError(f"learner roulette: the checkpoint does not match this evaluator: {error}") from error
