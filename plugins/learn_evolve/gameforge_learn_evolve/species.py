"""Species of a population: clusters by single linkage, and where they lie on a plane."""

from collections.abc import Sequence

import numpy as np

from gameforge.arena.contests import Pairing
from gameforge_learn_evolve.behaviour import Matrix
from gameforge_learn_evolve.tournament import pairings


def clusters(distance: Matrix, number: int) -> list[list[int]]:
    """So many clusters, each a list of places; the largest first.

    Agglomerative with single linkage: the two clusters that come nearest to each other, by their nearest members,
    become one, until so many are left. Of equal distances the first counts.
    """
    label = np.arange(len(distance))
    for _ in range(len(distance) - number):
        apart = np.where(label[:, None] == label[None, :], np.inf, distance)
        one, other = np.unravel_index(np.argmin(apart), apart.shape)
        label[label == label[other]] = label[one]
    found = [np.flatnonzero(label == which).tolist() for which in dict.fromkeys(label.tolist())]
    return sorted(found, key=lambda members: -len(members))


def league(clusters: Sequence[Sequence[int]], games: int, rng: np.random.Generator) -> list[Pairing]:
    """Each begins so many games against random members of its own species, if it has others."""
    pairs = []
    for members in clusters:
        if len(members) > 1:
            pairs += [(members[i], members[j]) for i, j in pairings(len(members), games, rng)]
    return pairs


def plane(distance: Matrix) -> Matrix:
    """Places [n, 2] whose distances are about these: classical multidimensional scaling (W. Torgerson, 1952)."""
    n = len(distance)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-centre @ np.square(distance) @ centre / 2)
    longest = np.argsort(-values)[:2]
    places: Matrix = vectors[:, longest] * np.sqrt(np.maximum(values[longest], 0))
    return places
