"""Parameters of the learners `evolve` and `roulette`."""

from typing import Literal

import attrs

from gameforge.interfaces import Spec, kinds


@attrs.frozen(kw_only=True)
class EvolveSettings:
    """Parameters of `evolve`; the defaults are those of Anaconda ([Chellapilla2001])."""

    population: int = attrs.field(default=15, validator=kinds.at_least(2))
    """Number of parents, and of their children."""
    generations: int = attrs.field(default=840, validator=kinds.at_least(1))
    """Number of generations."""
    games: int = attrs.field(default=5, validator=kinds.at_least(1))
    """Games in which each individual moves first in a generation, against random opponents."""
    scheme: Literal["best", "crowding"] = "best"
    """Who survives. best: the best of parents and children. crowding: of each pair of parents, the parent or
    the more similar child, whichever has more points (deterministic crowding, [Mahfoud1995])."""
    mutation: float = attrs.field(default=1.0, validator=kinds.share)
    """Probability that a weight of a child mutates."""
    stepped: Literal["drawn", "always"] = "drawn"
    """When weights that move by whole steps, such as the king's value K, move. drawn: with the probability `mutation`,
    like all others. always: in every child, as in the text of [KimCho2007], section 3.1."""
    step: float = attrs.field(default=0.05, validator=kinds.above(0))
    """Initial standard deviation of mutations; each weight has its own, which is inherited and mutates itself."""
    crossover: float = attrs.field(default=1.0, validator=kinds.share)
    """With scheme `crowding`: probability that the children of a pair exchange all genes after a random place."""
    distance: Literal["behaviour", "weights"] = "behaviour"
    """Distance of two individuals. behaviour: mean absolute difference of their scores of some boards. weights:
    Euclidean."""
    boards: int = attrs.field(default=200, validator=kinds.at_least(1))
    """Number of boards for the behaviour, drawn from random games."""
    species: int = attrs.field(default=0, validator=kinds.at_least(0))
    """Number of species in the last generation, each of which elects a representative in a league; 0: none."""
    clusters: Literal["linkage", "means"] = "linkage"
    """How species are found. linkage: by single linkage. means: by k-means, with the number of clusters, `species`
    at most, that fits best."""

    @property
    def training_games(self) -> int:
        """Number of games of all generations, without the leagues of the species."""
        return 2 * self.population * self.games * self.generations


@attrs.frozen(kw_only=True)
class RouletteSettings:
    """Parameters of `roulette`; the defaults are those of the piece counters for Othello ([KimCho2007], section
    3.3)."""

    opponent: Spec = attrs.field(metadata={"component": "evaluator"})
    """Evaluator of the opponent, which uses the pipeline's searcher and no oracle."""
    population: int = attrs.field(default=50, validator=kinds.at_least(2))
    """Number of individuals."""
    generations: int = attrs.field(default=100, validator=kinds.at_least(1))
    """Number of generations, including the first one, which is drawn at random."""
    games: int = attrs.field(default=1000, validator=kinds.at_least(2))
    """Games that measure the fitness of an individual."""
    random_moves: float = attrs.field(default=0.1, validator=kinds.share)
    """Share of the moves of both players that are drawn at random."""
    crossover: float = attrs.field(default=0.8, validator=kinds.share)
    """Probability that two parents exchange what follows a random place; otherwise children are copies."""
    mutation: float = attrs.field(default=0.01, validator=kinds.share)
    """Probability that a weight of a child is drawn again, like the initial weights."""

    @property
    def training_games(self) -> int:
        """Games of the whole training."""
        return self.population * self.generations * self.games
