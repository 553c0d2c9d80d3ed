"""Roulette wheel, crossover and mutation of weights ([KimCho2007], section 3.3)."""

from collections.abc import Callable, Sequence

import numpy as np

from gameforge_learn_evolve.genome import Floats


def chances(fitness: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Probabilities of being drawn as a parent: in proportion to fitness; uniform if all fitness is 0."""
    total = sum(fitness)
    return np.array([one / total if total else 1 / len(fitness) for one in fitness])


def next_population(
    population: Sequence[Floats],
    fitness: Sequence[float],
    crossover: float,
    mutation: float,
    fresh: Callable[[], Floats],
    rng: np.random.Generator,
) -> list[Floats]:
    """The best individual, unchanged, then children of pairs. fresh: draws weights like the initial ones."""
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
    return born[:n]
