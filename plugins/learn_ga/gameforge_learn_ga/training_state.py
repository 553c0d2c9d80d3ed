"""State of a genetic search, and its conversion to and from checkpoints."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge_learn_ga.genetics import Genes

Floats = NDArray[np.float32]


@attrs.define(eq=False)
class Individual:
    """A subset of the features and, after its training, its net."""

    number: int
    """From 1, in the order in which individuals are created."""
    genes: Genes
    weights: Floats | None = None
    initial_weights: Floats | None = None
    fitness: int = 0
    """Points of the latest tournament."""

    @property
    def name(self) -> str:
        return f"individual {self.number}"


@attrs.define
class TrainingState:
    """Everything that changes during a search."""

    generation: int = 0
    individuals: list[Individual] = attrs.field(factory=list)
    """Survivors, fittest first, then their children; empty before the first population is drawn."""
    best: list[Individual] = attrs.field(factory=list)
    """The fittest of each generation; the same object for as long as an individual remains the fittest."""
    games: int = 0
    """Training games so far."""
    played: int = 0
    """Tournament games so far."""
    lookups: dict[str, int] = attrs.field(factory=dict)
    """Oracle lookups in the training games so far, if the inner learner counts them."""

    @property
    def untrained(self) -> list[Individual]:
        return [one for one in self.individuals if one.weights is None]

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        arrays: dict[str, NDArray[Any]] = {}
        for number, one in {one.number: one for one in [*self.individuals, *self.best]}.items():
            arrays[f"genes {number}"] = one.genes.copy()
            if one.weights is not None and one.initial_weights is not None:
                arrays[f"weights {number}"] = one.weights.copy()
                arrays[f"initial {number}"] = one.initial_weights.copy()
        values = {
            "generation": self.generation,
            "games": self.games,
            "played": self.played,
            "asked": dict(self.lookups),
            "individuals": [(one.number, one.fitness) for one in self.individuals],
            "best": [one.number for one in self.best],
        }
        return LearnerState(arrays=arrays, values=values)

    @classmethod
    def restored(cls, saved: LearnerState, genes: int) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if its chromosomes have another length."""
        arrays, values = saved.arrays, dict(saved.values)

        def individual(number: int, fitness: int = 0) -> Individual:
            chosen = np.array(arrays[f"genes {number}"], np.bool_)
            if chosen.shape != (genes,):
                raise ValueError(f"expected {genes} genes per chromosome, got {chosen.size}")
            weights, initial = arrays.get(f"weights {number}"), arrays.get(f"initial {number}")
            return Individual(number, chosen, weights, initial, fitness)

        try:
            individuals = [individual(int(number), int(fitness)) for number, fitness in values.pop("individuals")]
            known = {one.number: one for one in individuals}
            best = [known.get(number) or individual(int(number)) for number in values.pop("best")]
            return cls(individuals=individuals, best=best, lookups=values.pop("asked"), **values)
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(f"learner ga: the checkpoint does not match these features: {error}") from error
