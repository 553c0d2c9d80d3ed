"""Parameters of the learners `evolve` and `roulette`."""

from typing import Any, Literal

import attrs

from gameforge.config import Spec

_at_least_0: Any = attrs.validators.ge(0)
_at_least_1: Any = attrs.validators.ge(1)
_at_least_2: Any = attrs.validators.ge(2)
_share: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))
_positive: Any = attrs.validators.gt(0)


@attrs.frozen(kw_only=True)
class EvolveSettings:
    """Defaults are those of Anaconda ([Chellapilla2001])."""

    population: int = attrs.field(default=15, validator=_at_least_2)
    """Parents; they have as many children."""
    generations: int = attrs.field(default=840, validator=_at_least_1)
    games: int = attrs.field(default=5, validator=_at_least_1)
    """Games that each individual begins in a generation, against random others."""
    scheme: Literal["best", "crowding"] = "best"
    """Who survives. best: the best of parents and children. crowding: of each pair of parents, the parent or
    the more similar child, whichever has more points (deterministic crowding, [Mahfoud1995])."""
    mutation: float = attrs.field(default=1.0, validator=_share)
    """Probability for each weight of a child."""
    step: float = attrs.field(default=0.05, validator=_positive)
    """First standard deviation of mutations; each weight has its own, which mutates as it is inherited."""
    crossover: float = attrs.field(default=1.0, validator=_share)
    """Used by crowding: probability that the children of a pair exchange what follows a random place."""
    distance: Literal["behaviour", "weights"] = "behaviour"
    """Of two individuals. behaviour: mean absolute difference of their scores of some boards. weights: Euclidean."""
    boards: int = attrs.field(default=200, validator=_at_least_1)
    """Boards for the behaviour, drawn from random games."""
    species: int = attrs.field(default=0, validator=_at_least_0)
    """Species in the last generation, each of which elects a representative in a league; 0: none."""
    clusters: Literal["linkage", "means"] = "linkage"
    """How species are found. linkage: by single linkage. means: by k-means, with the number of clusters, `species`
    at most, that fits best."""

    @property
    def training_games(self) -> int:
        """Games of all generations; leagues of species come on top."""
        return 2 * self.population * self.games * self.generations


@attrs.frozen(kw_only=True)
class RouletteSettings:
    """Defaults are those of Kim and Cho's piece counters for Othello ([KimCho2007], section 3.3)."""

    opponent: Spec = attrs.field(metadata={"component": "evaluator"})
    """Evaluator of the opponent, which has the pipeline's searcher and no oracle."""
    population: int = attrs.field(default=50, validator=_at_least_2)
    generations: int = attrs.field(default=100, validator=_at_least_1)
    """Including the first one, which is drawn at random."""
    games: int = attrs.field(default=1000, validator=_at_least_2)
    """Games that measure the fitness of an individual."""
    random_moves: float = attrs.field(default=0.1, validator=_share)
    """Share of the moves of both players that are drawn at random."""
    crossover: float = attrs.field(default=0.8, validator=_share)
    """Probability that two parents exchange what follows a random place; otherwise children are copies."""
    mutation: float = attrs.field(default=0.01, validator=_share)
    """Probability that a weight of a child is drawn anew, as the initial weights were."""

    @property
    def training_games(self) -> int:
        """Games of the whole training."""
        return self.population * self.generations * self.games
