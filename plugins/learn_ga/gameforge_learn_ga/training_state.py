"""State of a genetic search, and its conversion to and from checkpoints."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState
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

        def individual(number: int, fitness: int = 0) -> Individual:
            chosen = saved.arrays[f"genes {number}"]
            if chosen.shape != (genes,) or chosen.dtype != np.bool_:
                raise ValueError(f"expected {genes} genes per chromosome, got {chosen.size} of type {chosen.dtype}")
            weights, initial = (_weights(saved, f"{name} {number}") for name in ("weights", "initial"))
            return Individual(number, chosen.copy(), weights, initial, fitness)

        try:
            individuals = [individual(*entry) for entry in saved.value("individuals", list[tuple[int, int]])]
            known = {one.number: one for one in individuals}
            best = [known.get(number) or individual(number) for number in saved.value("best", list[int])]
            return cls(
                individuals=individuals,
                best=best,
                lookups=saved.value("asked", dict[str, int]),
                **{name: saved.count(name) for name in ("generation", "games", "played")},
            )
        except (KeyError, ValueError) as error:
            raise GameforgeError(f"learner ga: the checkpoint does not match these features: {error}") from error


def _weights(saved: LearnerState, name: str) -> Floats | None:
    return saved.floats(name, saved.arrays[name].shape) if name in saved.arrays else None
