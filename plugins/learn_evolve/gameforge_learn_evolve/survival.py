"""Survival: the parents and children that form the next generation."""

from collections.abc import Sequence

import numpy as np

from gameforge_learn_evolve.behaviour import Matrix


def best(points: Sequence[int], number: int) -> list[int]:
    """Indices of the individuals with the most points, best first; on ties the earlier, so parents before children."""
    return sorted(range(len(points)), key=lambda i: (-points[i], i))[:number]


def pairs(number: int, rng: np.random.Generator) -> list[int]:
    """A random order in which the individuals at 0 and 1, 2 and 3, ... form pairs."""
    order: list[int] = rng.permutation(number).tolist()
    return order


def crowded(order: Sequence[int], points: Sequence[int], distance: Matrix) -> list[int]:
    """Indices of the survivors by deterministic crowding ([Mahfoud1995]).

    The children of the parents order[2 i], order[2 i + 1] have the indices n + 2 i, n + 2 i + 1 for n parents. Each
    child is matched with one of its parents so that the sum of the distances is minimal; it replaces this parent
    if it has more points.
    """
    stay = list(range(len(order)))
    for i in range(0, len(order), 2):
        one, other = order[i], order[i + 1]
        first, second = len(order) + i, len(order) + i + 1
        straight = distance[one, first] + distance[other, second]
        if distance[one, second] + distance[other, first] < straight:
            first, second = second, first
        for parent, child in ((one, first), (other, second)):
            if points[child] > points[parent]:
                stay[parent] = child
    return stay
