"""Parameters of the learner `ga`."""

from typing import Literal

import attrs

from gameforge.interfaces import Spec, kinds


@attrs.frozen(kw_only=True)
class GASettings:
    """Parameters of the genetic algorithm; the defaults are those of LS-Draughts ([Neto2009], section 5)."""

    population: int = attrs.field(default=50, validator=kinds.at_least(2))
    """Number of individuals that survive a generation."""
    generations: int = attrs.field(default=49, validator=kinds.at_least(1))
    """Generations after the first, which is drawn at random: 49 are GE_1 to GE_49."""
    tour: int = attrs.field(default=3, validator=kinds.at_least(1))
    """Size of the random tournaments that select parents: the fittest of `tour` individuals becomes one."""
    crossover: float = attrs.field(default=1.0, validator=kinds.share)
    """Probability that two parents exchange the genes after a random place; otherwise children are copies."""
    flips: int = attrs.field(default=5, validator=kinds.at_least(0))
    """Number of different genes that mutation flips in each child; 0: each gene with probability `mutation`."""
    mutation: float = attrs.field(default=0.3, validator=kinds.share)
    """Probability of flipping each gene, if `flips` is 0."""
    games: int = attrs.field(default=10, validator=kinds.at_least(1))
    """Tournament games of each individual, if opponents are random."""
    select: bool = True
    """False: every individual has all features, so that only its initial weights distinguish it. This is a control: the
    best of as many nets, without a choice of features."""
    opponents: Literal["random", "all"] = "random"
    """all: every individual plays every other one twice, once with each side."""
    inner: Spec = attrs.field(
        factory=lambda: Spec("td", {"sessions": 4, "games": 400}), metadata={"component": "learner"}
    )
    """The learner that trains an individual."""
