"""States of both learners, as checkpoints hold them."""

from collections.abc import Sequence

import attrs
import numpy as np

from gameforge.interfaces import LearnerState
from gameforge.kernel import FloatArray
from gameforge.storage import checkpoint
from gameforge_learn_evolve.genetics import Genome

DRAW, LOOP = 2, 3
"""Results of drawn games (0 and 1 name the winner); LOOP is a draw that the game counts as a loop."""
_POPULATION, _FIRST_BEST = checkpoint.kept("population", "weights"), checkpoint.kept("weights", name="first best")


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


@attrs.define
class TrainingState:
    """Everything that changes during an evolution."""

    numbers: list[tuple[int, int]] = attrs.field(factory=list, metadata=checkpoint.kept(name="parents"))
    """Number and points of each parent."""
    weights: FloatArray = attrs.field(factory=lambda: np.zeros((0, 0), np.float32), metadata=_POPULATION)
    steps: FloatArray = attrs.field(factory=lambda: np.zeros((0, 0), np.float32), metadata=_POPULATION)
    generation: int = 0
    """Finished generations."""
    results: list[int] = attrs.field(factory=list)
    """Results of this generation's games so far, or of the species' leagues."""
    games: int = 0
    """Games of all generations so far."""
    first_best: FloatArray | None = attrs.field(default=None, metadata=_FIRST_BEST)
    """Weights of the best of the first parents."""

    @property
    def parents(self) -> list[Individual]:
        """The parents of the next generation; none before the first."""
        genomes = map(Genome, self.weights, self.steps)
        return [
            Individual(number, genome, points) for (number, points), genome in zip(self.numbers, genomes, strict=True)
        ]

    @parents.setter
    def parents(self, parents: Sequence[Individual]) -> None:
        self.numbers = [(one.number, one.points) for one in parents]
        self.weights = np.array([one.genome.weights for one in parents])
        self.steps = np.array([one.genome.steps for one in parents])

    @classmethod
    def restored(cls, state: LearnerState, population: int, weights: int) -> "TrainingState":
        """Restore the state of a checkpoint; GameforgeError if the numbers of individuals or weights differ."""
        mismatch = "learner evolve: the checkpoint does not match this evaluator"
        found = checkpoint.unpack(cls, state, mismatch, population=population, weights=weights)
        with checkpoint.matching(mismatch):
            if len(found.numbers) != population:
                raise ValueError(f"parents: expected {population}, got {len(found.numbers)}")
            if not set(found.results) <= {0, 1, DRAW, LOOP}:
                raise ValueError("its results are not those of games")
            if found.generation and found.first_best is None:
                raise ValueError("the array 'first best' is missing")
        return found


@attrs.define
class RouletteState:
    """Everything that changes during a training of `roulette`."""

    population: FloatArray = attrs.field(metadata=_POPULATION)
    """[individuals, weights]."""
    generation: int = 0
    """Finished generations."""
    results: list[tuple[int, int, int]] = attrs.field(factory=list)
    """Index, wins and draws of each individual of this generation that has played."""
    first_best: FloatArray | None = attrs.field(default=None, metadata=_FIRST_BEST)
    """Weights of the best of the first population."""

    @classmethod
    def restored(cls, state: LearnerState, population: int, weights: int, games: int) -> "RouletteState":
        """Restore the state of a checkpoint; GameforgeError if it does not match these numbers."""
        mismatch = "learner roulette: the checkpoint does not match this evaluator"
        found = checkpoint.unpack(cls, state, mismatch, population=population, weights=weights)
        with checkpoint.matching(mismatch):
            for i, wins, draws in found.results:
                if not 0 <= i < population or min(wins, draws) < 0 or wins + draws > games:
                    raise ValueError(f"results: {[i, wins, draws]} is not a result of {games} games")
        return found
