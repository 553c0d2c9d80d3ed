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
    def restored(cls, saved: LearnerState, population: int, weights: int) -> "RouletteState":
        """Restore the state that `snapshot` saved; GameforgeError if the numbers of individuals or weights differ."""
        try:
            individuals = np.array(saved.arrays["population"], np.float32)
            if individuals.shape != (population, weights):
                raise ValueError(f"expected a population of shape {population, weights}, got {individuals.shape}")
            played = {int(i): (int(wins), int(draws)) for i, wins, draws in saved.values["results"]}
            return cls(list(individuals), int(saved.values["generation"]), played, saved.arrays.get("first best"))
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(f"learner roulette: the checkpoint does not match this evaluator: {error}") from error
