"""Parameters of `ga`, and genetic operators, whatever genes stand for ([Neto2009], sections 5.1, 5.2 and 5.5)."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

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


Genes = NDArray[np.bool_]
"""A chromosome: one bit per gene."""


def repaired(genes: Genes, rng: np.random.Generator) -> Genes:
    """The chromosome, with a random gene set if it has none, because a net needs an input."""
    if not genes.any():
        genes = genes.copy()
        genes[rng.integers(len(genes))] = True
    return genes


def complete_population(size: int, length: int) -> list[Genes]:
    """Chromosomes with all genes."""
    return [np.ones(length, np.bool_) for _ in range(size)]


def first_population(size: int, length: int, settings: GASettings, rng: np.random.Generator) -> list[Genes]:
    """Random chromosomes of this length, or complete ones if no features are selected."""
    return random_population(size, length, rng) if settings.select else complete_population(size, length)


def random_population(size: int, length: int, rng: np.random.Generator) -> list[Genes]:
    """Random chromosomes of this length."""
    return [repaired(rng.integers(0, 2, length).astype(np.bool_), rng) for _ in range(size)]


def selected(fitness: Sequence[int], tour: int, rng: np.random.Generator) -> int:
    """Index of a parent: the fittest of `tour` individuals drawn with replacement; the first drawn on ties."""
    drawn: list[int] = rng.integers(0, len(fitness), tour).tolist()
    return max(drawn, key=lambda i: fitness[i])


def crossed(one: Genes, other: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
    """Two children by one-point crossover."""
    if len(one) < 2:
        return one.copy(), other.copy()
    cut = int(rng.integers(1, len(one)))
    return np.concatenate([one[:cut], other[cut:]]), np.concatenate([other[:cut], one[cut:]])


def mutated(genes: Genes, flips: int, probability: float, rng: np.random.Generator) -> Genes:
    """The chromosome with `flips` different genes flipped; if `flips` is 0, each gene with this probability."""
    if flips:
        flipped = np.zeros(len(genes), np.bool_)
        flipped[rng.choice(len(genes), flips, replace=False)] = True
    else:
        flipped = rng.random(len(genes)) < probability
    return genes ^ flipped


def children(
    parents: Sequence[Genes], fitness: Sequence[int], settings: GASettings, rng: np.random.Generator
) -> list[Genes]:
    """As many children as there are parents, born in pairs."""
    if not settings.select:
        return complete_population(len(parents), len(parents[0]))
    born: list[Genes] = []
    while len(born) < len(parents):
        pair = [parents[selected(fitness, settings.tour, rng)] for _ in range(2)]
        two = crossed(pair[0], pair[1], rng) if rng.random() < settings.crossover else (pair[0], pair[1])
        born += [repaired(mutated(genes, settings.flips, settings.mutation, rng), rng) for genes in two]
    return born[: len(parents)]


def survivors(fitness: Sequence[int], number: int) -> list[int]:
    """Indices of the fittest, best first; on ties the earlier ones, which are older."""
    return sorted(range(len(fitness)), key=lambda i: (-fitness[i], i))[:number]


def pairings(settings: GASettings, number: int, rng: np.random.Generator) -> Iterator[tuple[int, int, int]]:
    """Tournament games as (first mover, second mover, individual for whom the game counts).

    Opponents are drawn at random, without repetition if there are enough; sides alternate. If all play all, every game
    counts for both players, and the third number is -1.
    """
    if settings.opponents == "all":
        yield from ((i, j, -1) for i, j in itertools.permutations(range(number), 2))
        return
    for i in range(number):
        others = np.delete(np.arange(number), i)
        drawn: list[int] = rng.choice(others, settings.games, replace=settings.games > len(others)).tolist()
        for k, other in enumerate(drawn):
            yield (i, other, i) if k % 2 == 0 else (other, i, i)


def scores(played: Sequence[tuple[int, int, int]], winners: Sequence[int | None], number: int) -> list[int]:
    """Fitness: 2 for a win, 1 for a draw, 0 for a loss. winners: 0 the first mover, 1 the second, None a draw."""
    points = [0] * number
    for (first, second, whose), winner in zip(played, winners, strict=True):
        for side, who in enumerate((first, second)):
            if whose in (who, -1):
                points[who] += 1 if winner is None else 2 * (winner == side)
    return points
