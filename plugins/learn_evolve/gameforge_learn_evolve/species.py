"""Species of a population: clusters, leagues inside them, and where they lie on a plane."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gameforge.play.arena.contests import Pairing
from gameforge_learn_evolve.behaviour import Matrix
from gameforge_learn_evolve.tournament import pairings

Labels = NDArray[np.int64]
"""Which cluster each belongs to."""
_STARTS, _ROUNDS = 10, 100
"""Of k-means: the best of so many attempts, each of so many rounds at most."""


def linked(distance: Matrix, number: int) -> list[list[int]]:
    """So many clusters, each a list of places; the largest first.

    Agglomerative with single linkage: the two clusters that come nearest to each other, by their nearest members,
    become one, until so many are left. Of equal distances the first counts.
    """
    label = np.arange(len(distance))
    for _ in range(len(distance) - number):
        apart = np.where(label[:, None] == label[None, :], np.inf, distance)
        one, other = np.unravel_index(np.argmin(apart), apart.shape)
        label[label == label[other]] = label[one]
    return _members(label)


def by_means(points: Matrix, distance: Matrix, most: int, rng: np.random.Generator) -> list[list[int]]:
    """As many clusters, up to `most`, as have the greatest mean silhouette (P. Rousseeuw, 1987), by k-means.

    points [n, d]: what is clustered; distance [n, n]: what silhouettes measure. Fewer where points are equal.
    """
    found = [_means(points, number, rng) for number in range(min(2, most), most + 1)]
    return _members(max(found, key=lambda label: silhouette(distance, label)))


def silhouette(distance: Matrix, label: Labels) -> float:
    """Mean over all of (b - a) / max(a, b): a the mean distance to one's own cluster, b to the nearest other one.

    0 for who is alone in its cluster, and where there is one cluster only.
    """
    each = np.unique(label)
    if len(each) == 1:
        return 0.0
    to = np.array([distance[:, label == which].sum(axis=1) for which in each])
    size = np.array([np.count_nonzero(label == which) for which in each])
    own = np.searchsorted(each, label), np.arange(len(label))
    others = to / size[:, None]
    others[own] = np.inf
    a, b = to[own] / np.maximum(size[own[0]] - 1, 1), others.min(axis=0)
    widest = np.maximum(a, b)
    good = (size[own[0]] > 1) & (widest > 0)
    return float(np.where(good, (b - a) / np.where(good, widest, 1), 0).mean())


def _means(points: Matrix, number: int, rng: np.random.Generator) -> Labels:
    """Lloyd's algorithm from centres that are drawn far apart (k-means++; D. Arthur and S. Vassilvitskii, 2007)."""
    attempts = [_attempt(points, number, rng) for _ in range(_STARTS)]
    return min(attempts, key=lambda attempt: attempt[0])[1]


def _attempt(points: Matrix, number: int, rng: np.random.Generator) -> tuple[float, Labels]:
    """(Sum of squared distances from the centres, labels)."""
    centres = points[[rng.integers(len(points))]]
    while len(centres) < number:
        near = _squares(points, centres).min(axis=1)
        if not near.any():
            break
        centres = np.vstack([centres, points[rng.choice(len(points), p=near / near.sum())]])
    label = np.zeros(len(points), np.int64)
    for _ in range(_ROUNDS):
        before, label = label, np.argmin(_squares(points, centres), axis=1)
        if (label == before).all():
            break
        centres = np.array([points[label == which].mean(axis=0) for which in np.unique(label)])
    return float(_squares(points, centres).min(axis=1).sum()), label


def _squares(points: Matrix, centres: Matrix) -> Matrix:
    """Squared Euclidean distances [points, centres]."""
    return np.array([np.square(points - centre).sum(axis=1) for centre in centres]).T


def _members(label: Labels) -> list[list[int]]:
    """Each cluster as a list of places; the largest first."""
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
