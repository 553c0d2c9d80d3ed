"""Weights with self-adaptive mutation, and crossover ([Chellapilla2001]; [KimCho2007], section 3.1)."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.evaluator import WeightVector

Floats = NDArray[np.float32]


@attrs.frozen(eq=False)
class Genome:
    """Inherited properties of an individual: weights and the step sizes of their mutations."""

    weights: Floats
    steps: Floats
    """Standard deviation of each weight's mutations."""


def mutated(one: Genome, vector: WeightVector, probability: float, rng: np.random.Generator) -> Genome:
    """A copy in which each weight is changed with this probability.

    s' = s exp(tau N), w' = w + s' N' with independent normal N and N' for each weight, tau = 1 / sqrt(2 sqrt(n)) for n
    weights. Stepped weights, such as the king's value K, move a step down, stay, or move a step up.
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
        if chosen[stepped.place]:
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
