"""The learner `evolve`: weights evolve by games among the individuals (seed 003; sheet 05, sections 2 to 5)."""

from typing import Any, Literal

import attrs

from gameforge.interfaces.learner import Trained, TrainingTask

_at_least_0: Any = attrs.validators.ge(0)
_at_least_1: Any = attrs.validators.ge(1)
_at_least_2: Any = attrs.validators.ge(2)
_share: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))
_positive: Any = attrs.validators.gt(0)


@attrs.frozen(kw_only=True)
class Evolve:
    """Individuals are weights of the pipeline's evaluator, each with the size of its mutations.

    A generation: parents have children; all play each other; some stay. A win brings 1 point, a loss takes 2.
    Defaults are those of Anaconda (K. Chellapilla and D. Fogel, 2001).
    """

    population: int = attrs.field(default=15, validator=_at_least_2)
    """Parents; they have as many children."""
    generations: int = attrs.field(default=840, validator=_at_least_1)
    games: int = attrs.field(default=5, validator=_at_least_1)
    """That each individual begins in a generation, against random ones."""
    scheme: Literal["best", "crowding"] = "best"
    """Who stays: the best of parents and children; or in each pair of parents, a child in place of the parent
    that it is closer to, if it has more points (deterministic crowding)."""
    mutation: float = attrs.field(default=1.0, validator=_share)
    """Probability for each weight of a child."""
    step: float = attrs.field(default=0.05, validator=_positive)
    """First standard deviation of mutations; each weight's own changes as it is inherited."""
    crossover: float = attrs.field(default=1.0, validator=_share)
    """Used by crowding: probability that the children of a pair exchange what lies behind a random place."""
    distance: Literal["behaviour", "weights"] = "behaviour"
    """Of two individuals: mean absolute difference of their scores of some boards, or Euclidean."""
    boards: int = attrs.field(default=200, validator=_at_least_1)
    """For the behaviour; drawn from random games."""
    species: int = attrs.field(default=0, validator=_at_least_0)
    """So many species in the last generation, each of which elects a representative in a league; 0: none."""
    clusters: Literal["linkage", "means"] = "linkage"
    """How they are found: by single linkage; or by k-means, of which at most so many, as many as fit best."""

    @property
    def training_games(self) -> int:
        """Of all generations; leagues of species come on top."""
        return 2 * self.population * self.games * self.generations

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError for an evaluator without weights, an odd number of parents where they are
        paired, and more species than individuals."""
        from gameforge_learn_evolve.course import Course

        return Course(self, task).run()
