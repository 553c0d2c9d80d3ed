"""Genetics of both learners: mutation, crossover and tournaments of `evolve`, and the roulette wheel of `roulette`.

Mutation is self-adaptive, as in [Chellapilla2001]. Tournaments are those of [KimCho2007], section 3.1; the wheel is
that of section 3.3.
"""

import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gameforge import Pairing
from gameforge.interfaces import WeightVector
from gameforge.kernel import FloatArray


@attrs.frozen(eq=False)
class Genome:
    """Inherited properties of an individual: weights and the step sizes of their mutations."""

    weights: FloatArray
    steps: FloatArray
    """Standard deviation of each weight's mutations."""


def mutated(
    one: Genome, vector: WeightVector, probability: float, rng: np.random.Generator, *, always_stepped: bool = False
) -> Genome:
    """A copy in which each weight is changed with this probability.

    s' = s exp(tau N), w' = w + s' N' with independent normal N and N' for each weight, tau = 1 / sqrt(2 sqrt(n)) for n
    weights. Stepped weights, such as the king's value K, move a step down, stay, or move a step up; always_stepped: in
    every copy, not only if they are drawn.
    """
    weights, steps = one.weights.copy(), one.steps.copy()
    free = np.ones(vector.length, np.bool_)
    free[[*(stepped.place for stepped in vector.stepped), *vector.unused]] = False
    tau = 1 / math.sqrt(2 * math.sqrt(np.count_nonzero(free)))
    chosen = rng.random(vector.length) < probability
    changed = free & chosen
    n = np.count_nonzero(changed)
    steps[changed] *= np.exp(tau * rng.standard_normal(n)).astype(np.float32)
    weights[changed] += steps[changed] * rng.standard_normal(n, np.float32)
    for stepped in vector.stepped:
        if always_stepped or chosen[stepped.place]:
            moved = weights[stepped.place] + stepped.step * int(rng.integers(-1, 2))
            weights[stepped.place] = min(max(moved, stepped.low), stepped.high)
    return Genome(weights, steps)


def crossed(one: Genome, other: Genome, rng: np.random.Generator) -> tuple[Genome, Genome]:
    """Two children by one-point crossover of weights and steps."""
    n = len(one.weights)
    cut = int(rng.integers(1, n)) if n > 1 else n

    def child(head: Genome, tail: Genome) -> Genome:
        return Genome(
            np.concatenate([head.weights[:cut], tail.weights[cut:]]),
            np.concatenate([head.steps[:cut], tail.steps[cut:]]),
        )

    return child(one, other), child(other, one)


WIN, LOSS = 1, -2
"""Points of winner and loser; a draw brings none (docs/readings.md, "Points for a loss")."""


def pairings(number: int, games: int, rng: np.random.Generator) -> list[Pairing]:
    """Each player moves first in `games` games against random others, without repetition if there are enough."""
    pairs = []
    for i in range(number):
        others = np.delete(np.arange(number), i)
        drawn: list[int] = rng.choice(others, games, replace=games > len(others)).tolist()
        pairs += [(i, other) for other in drawn]
    return pairs


def gained(pairs: Sequence[Pairing], winners: Sequence[int | None], number: int) -> list[int]:
    """Points of each player. winners: 0 the first mover, 1 the second, None a draw."""
    found = [0] * number
    for pair, winner in zip(pairs, winners, strict=True):
        if winner is not None:
            found[pair[winner]] += WIN
            found[pair[1 - winner]] += LOSS
    return found


def chances(fitness: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Probabilities of being drawn as a parent: in proportion to fitness; uniform if all fitness is 0."""
    total = sum(fitness)
    return np.array([one / total if total else 1 / len(fitness) for one in fitness])


def next_population(
    population: FloatArray,
    fitness: Sequence[float],
    crossover: float,
    mutation: float,
    fresh: Callable[[], FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """The best individual, unchanged, then children of pairs; fresh: draws weights like the initial ones.

    The population and the result are [individuals, weights].
    """
    n = len(population)
    share = chances(fitness)
    born = [population[int(np.argmax(fitness))]]
    while len(born) < n:
        one, other = (population[i] for i in rng.choice(n, 2, p=share))
        length = len(one)
        if rng.random() < crossover and length > 1:
            cut = int(rng.integers(1, length))
            one, other = np.concatenate([one[:cut], other[cut:]]), np.concatenate([other[:cut], one[cut:]])
        born += [np.where(rng.random(length) < mutation, fresh(), child) for child in (one, other)]
    return np.array(born[:n])
