"""State of a genetic search, and its conversion to and from checkpoints."""

import attrs

from gameforge.interfaces import LearnerState
from gameforge.kernel import FloatArray
from gameforge.storage import checkpoint
from gameforge_learn_ga.genetics import Genes


@attrs.define(eq=False)
class Individual:
    """A subset of the features and, after its training, its net."""

    number: int
    """From 1, in the order in which individuals are created."""
    genes: Genes
    weights: FloatArray | None = None
    initial_weights: FloatArray | None = None
    fitness: int = 0
    """Points of the latest tournament."""

    @property
    def name(self) -> str:
        return f"individual {self.number}"


@attrs.frozen
class _Saved:
    """A search as a checkpoint holds it; the arrays are those of all individuals, by their numbers."""

    generation: int
    games: int
    played: int
    lookups: dict[str, int] = attrs.field(metadata=checkpoint.kept(name="asked"))
    individuals: list[tuple[int, int]]
    """Number and fitness of each."""
    best: list[int]
    genes: dict[int, Genes] = attrs.field(metadata=checkpoint.kept("genes"))
    weights: dict[int, FloatArray]
    """Missing before the training of an individual."""
    initial: dict[int, FloatArray]


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
        known = {one.number: one for one in [*self.individuals, *self.best]}
        return checkpoint.pack(
            _Saved(
                generation=self.generation,
                games=self.games,
                played=self.played,
                lookups=self.lookups,
                individuals=[(one.number, one.fitness) for one in self.individuals],
                best=[one.number for one in self.best],
                genes={n: one.genes for n, one in known.items()},
                weights={n: one.weights for n, one in known.items() if one.weights is not None},
                initial={n: one.initial_weights for n, one in known.items() if one.initial_weights is not None},
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, genes: int) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if its chromosomes have another length."""
        mismatch = "learner ga: the checkpoint does not match these features"
        found = checkpoint.unpack(_Saved, state, mismatch, genes=genes)

        def individual(number: int, fitness: int = 0) -> Individual:
            if number not in found.genes:
                raise ValueError(f"the array 'genes {number}' is missing")
            return Individual(
                number, found.genes[number], found.weights.get(number), found.initial.get(number), fitness
            )

        with checkpoint.matching(mismatch):
            individuals = [individual(*entry) for entry in found.individuals]
            known = {one.number: one for one in individuals}
            best = [known.get(number) or individual(number) for number in found.best]
        return cls(found.generation, individuals, best, found.games, found.played, found.lookups)
