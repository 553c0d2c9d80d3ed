"""States of both learners, and their conversion to and from checkpoints."""

from typing import Any, Literal

import attrs
import numpy as np

from gameforge import Contender, GameforgeError
from gameforge.interfaces import LearnerState
from gameforge_learn_evolve.genetics import Floats, Genome

DRAW, LOOP = 2, 3
"""Results of drawn games (0 and 1 name the winner); LOOP is a draw that the game counts as a loop."""


@attrs.frozen(eq=False)
class Individual:
    """A genome with the points of its latest tournament."""

    number: int
    """From 1, in the order in which individuals are created."""
    genome: Genome
    points: int = 0

    @property
    def name(self) -> str:
        return f"individual {self.number}"

    @property
    def contender(self) -> Contender:
        """The player with this individual's weights."""
        return Contender(weights=self.genome.weights)


@attrs.define
class TrainingState:
    """Everything that changes during an evolution."""

    parents: list[Individual] = attrs.field(factory=list)
    generation: int = 0
    """Finished generations."""
    results: list[int] = attrs.field(factory=list)
    """Results of this generation's games so far, or of the species' leagues."""
    games: int = 0
    """Games of all generations so far."""
    first_best: Floats | None = None
    """Weights of the best of the first parents."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        values = attrs.asdict(self, filter=attrs.filters.exclude("parents", "first_best")) | {
            "parents": [(one.number, one.points) for one in self.parents]
        }
        arrays = {
            "weights": np.array([one.genome.weights for one in self.parents]),
            "steps": np.array([one.genome.steps for one in self.parents]),
        }
        if self.first_best is not None:
            arrays["first best"] = self.first_best
        return LearnerState(arrays=arrays, values=values)

    @classmethod
    def restored(cls, saved: LearnerState, population: int, weights: int) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if the numbers of individuals or weights differ."""
        try:
            numbers = saved.value("parents", list[tuple[int, int]])
            genomes = [saved.floats(name, (len(numbers), weights)) for name in ("weights", "steps")]
            parents = [
                Individual(number, Genome(*genome), points)
                for (number, points), *genome in zip(numbers, *genomes, strict=True)
            ]
            if len(parents) != population:
                raise ValueError(f"expected {population} individuals, got {len(parents)}")
            generation, first_best = saved.count("generation"), None
            if generation or "first best" in saved.arrays:
                first_best = saved.floats("first best", (weights,))
            return cls(
                parents,
                generation=generation,
                results=saved.value("results", list[Literal[0, 1, 2, 3]]),
                games=saved.count("games"),
                first_best=first_best,
            )
        except ValueError as error:
            raise GameforgeError(f"learner evolve: the checkpoint does not match this evaluator: {error}") from error


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
