"""The learner `ga`: a genetic algorithm chooses features (seeds 000 and 001; sheet 03, section 2)."""

from typing import Any, Literal

import attrs

from gameforge.config import Spec
from gameforge.interfaces.learner import Trained, TrainingTask

_at_least_0: Any = attrs.validators.ge(0)
_at_least_1: Any = attrs.validators.ge(1)
_at_least_2: Any = attrs.validators.ge(2)
_share: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))


@attrs.frozen(kw_only=True)
class GA:
    """Individuals are choices among the features of the pipeline's feature map; a chromosome has a gene for each.

    A generation: the tournament, in which fitness is won; the best survive; they have children, each of
    which is trained by `inner` from scratch, while survivors keep their nets. Defaults are LS-Draughts'.
    """

    population: int = attrs.field(default=50, validator=_at_least_2)
    generations: int = attrs.field(default=50, validator=_at_least_1)
    """After the first population, which is drawn at random."""
    tour: int = attrs.field(default=3, validator=_at_least_1)
    """Individuals drawn for each place of a parent, which the fittest of them takes."""
    crossover: float = attrs.field(default=1.0, validator=_share)
    """Probability that a pair of parents exchanges what lies behind a random place; else children are copies."""
    flips: int = attrs.field(default=5, validator=_at_least_0)
    """Different genes that mutation flips in each child; 0: each gene with probability `mutation`."""
    mutation: float = attrs.field(default=0.3, validator=_share)
    """Used where `flips` is 0."""
    games: int = attrs.field(default=10, validator=_at_least_1)
    """Tournament games of each individual, where opponents are random."""
    opponents: Literal["random", "all"] = "random"
    """all: everybody plays everybody else twice, once with each side."""
    inner: Spec = attrs.field(
        factory=lambda: Spec("td", {"sessions": 4, "games": 400}), metadata={"component": "learner"}
    )
    """The learner that trains an individual."""

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if there is no choice of features, if `flips` is more than there are, and
        what the inner learner raises."""
        from gameforge_learn_ga.course import Course

        return Course(self, task).run()
