"""Who stays of parents and children."""

from collections.abc import Sequence

import numpy as np

from gameforge_learn_evolve.behaviour import Matrix


def best(points: Sequence[int], number: int) -> list[int]:
    """Places of those with the most points, from the best on; of equals the earlier, so parents before children."""
    return sorted(range(len(points)), key=lambda i: (-points[i], i))[:number]


def pairs(number: int, rng: np.random.Generator) -> list[int]:
    """An order in which each two that follow one another are a pair."""
    order: list[int] = rng.permutation(number).tolist()
    return order


def crowded(order: Sequence[int], points: Sequence[int], distance: Matrix) -> list[int]:
    """Places of those that stay; deterministic crowding (S. Mahfoud, 1995).

    The children of the parents order[2 i], order[2 i + 1] stand at n + 2 i, n + 2 i + 1 for n parents. Of the two
    ways to match them, the one whose distances have the smaller sum counts; a child with more points than its
    parent takes the parent's place.
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
