"""The learner `roulette`: a genetic algorithm for weights against one opponent (seed 003; sheet 05, section 9)."""

from typing import Any

import attrs

from gameforge.config import Spec
from gameforge.interfaces.learner import Trained, TrainingTask

_at_least_1: Any = attrs.validators.ge(1)
_at_least_2: Any = attrs.validators.ge(2)
_share: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))


@attrs.frozen(kw_only=True)
class Roulette:
    """Individuals are weights of the pipeline's evaluator. Defaults are those of Kim and Cho's piece counters.

    A generation: each plays the opponent, half of the games with each side; fitness is a point for a win and
    half a point for a draw. The best goes on unchanged; the others are children of parents that are drawn
    with a chance in proportion to their fitness.
    """

    opponent: Spec = attrs.field(metadata={"component": "evaluator"})
    """Evaluator of the opponent, which has the pipeline's searcher and no oracle."""
    population: int = attrs.field(default=50, validator=_at_least_2)
    generations: int = attrs.field(default=100, validator=_at_least_1)
    """The first one, which is drawn at random, included."""
    games: int = attrs.field(default=1000, validator=_at_least_2)
    """For the fitness of an individual."""
    random_moves: float = attrs.field(default=0.1, validator=_share)
    """Share of the moves of both players that are drawn at random."""
    crossover: float = attrs.field(default=0.8, validator=_share)
    """Probability that two parents exchange what lies behind a random place; else children are copies."""
    mutation: float = attrs.field(default=0.01, validator=_share)
    """Probability that a weight of a child is drawn anew, as the first ones were."""

    @property
    def training_games(self) -> int:
        """Of the whole training."""
        return self.population * self.generations * self.games

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError for an evaluator without weights, and an opponent that needs some."""
        from gameforge_learn_evolve.rounds import Rounds

        return Rounds(self, task).run()
