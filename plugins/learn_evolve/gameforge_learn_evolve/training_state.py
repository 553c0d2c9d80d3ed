"""States of both learners, and their conversion to and from checkpoints."""

import attrs
import numpy as np

from gameforge import Contender
from gameforge.interfaces import LearnerState
from gameforge.kernel import FloatArray
from gameforge.storage import kept, matching, pack, unpack
from gameforge_learn_evolve.genetics import Genome

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


@attrs.frozen
class _Saved:
    """An evolution as a checkpoint holds it."""

    parents: list[tuple[int, int]]
    """Number and points of each."""
    weights: FloatArray = attrs.field(metadata=kept("population", "weights"))
    steps: FloatArray = attrs.field(metadata=kept("population", "weights"))
    generation: int
    results: list[int]
    games: int
    first_best: FloatArray | None = attrs.field(metadata=kept("weights", name="first best"))


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
    first_best: FloatArray | None = None
    """Weights of the best of the first parents."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        return pack(
            _Saved(
                parents=[(one.number, one.points) for one in self.parents],
                weights=np.array([one.genome.weights for one in self.parents]),
                steps=np.array([one.genome.steps for one in self.parents]),
                generation=self.generation,
                results=self.results,
                games=self.games,
                first_best=self.first_best,
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, population: int, weights: int) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if the numbers of individuals or weights differ."""
        mismatch = "learner evolve: the checkpoint does not match this evaluator"
        found = unpack(_Saved, state, mismatch, population=population, weights=weights)
        with matching(mismatch):
            parents = [
                Individual(number, Genome(*genome), points)
                for (number, points), *genome in zip(found.parents, found.weights, found.steps, strict=True)
            ]
            if not set(found.results) <= {0, 1, DRAW, LOOP}:
                raise ValueError("its results are not those of games")
            if found.generation and found.first_best is None:
                raise ValueError("the array 'first best' is missing")
        return cls(parents, found.generation, found.results, found.games, found.first_best)


@attrs.frozen
class _SavedRoulette:
    """A training as a checkpoint holds it."""

    population: FloatArray = attrs.field(metadata=kept("population", "weights"))
    generation: int
    results: list[tuple[int, int, int]]
    """Index, wins and draws of each individual that has played."""
    first_best: FloatArray | None = attrs.field(metadata=kept("weights", name="first best"))


@attrs.define
class RouletteState:
    """Everything that changes during a training."""

    population: list[FloatArray]
    generation: int = 0
    """Finished generations."""
    results: dict[int, tuple[int, int]] = attrs.field(factory=dict)
    """(wins, draws) of the individuals of this generation that have played."""
    first_best: FloatArray | None = None
    """Weights of the best of the first population."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        results = [(i, *found) for i, found in self.results.items()]
        return pack(_SavedRoulette(np.array(self.population), self.generation, results, self.first_best))

    @classmethod
    def restored(cls, state: LearnerState, population: int, weights: int, games: int) -> "RouletteState":
        """Restore the state that `snapshot` saved; GameforgeError if it does not match these numbers."""
        mismatch = "learner roulette: the checkpoint does not match this evaluator"
        found = unpack(_SavedRoulette, state, mismatch, population=population, weights=weights)
        with matching(mismatch):
            for i, wins, draws in found.results:
                if not 0 <= i < population or min(wins, draws) < 0 or wins + draws > games:
                    raise ValueError(f"results: {[i, wins, draws]} is not a result of {games} games")
        played = {i: (wins, draws) for i, wins, draws in found.results}
        return cls(list(found.population), found.generation, played, found.first_best)
