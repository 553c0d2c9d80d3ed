"""Species of a population: distances between individuals, clusters, leagues within them, and their places in the plane.

Individuals differ by their scores of some boards, or by their weights.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge import Game, Parts, playouts
from gameforge.kernel import FloatArray

Matrix = NDArray[np.float64]
MAP_INCHES = 5.0
"""Height of the map of the species."""


def random_boards(game: Game, number: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """States [number, words], each from a different random game; never the final state of a game."""
    start, boards = game.position(), []
    for seed in rng.integers(1 << 64, size=number, dtype=np.uint64).tolist():
        ply = int(rng.integers(playouts(start, 1, seed=seed).plies))
        boards.append(playouts(start, 1, seed=seed, plies=ply).last)
    return np.array(boards, np.uint64)


def behaviour(parts: Parts, boards: NDArray[np.uint64], nets: Sequence[FloatArray]) -> Matrix:
    """Static scores [nets, boards], each for the side to move."""
    return np.array([parts.values(boards, weights) for weights in nets])


def mean_differences(points: Matrix) -> Matrix:
    """Mean absolute differences between all rows."""
    return np.array([np.abs(points - row).mean(axis=1) for row in points])


def euclidean(points: Matrix) -> Matrix:
    """Euclidean distances between all rows."""
    return np.array([np.sqrt(np.square(points - row).sum(axis=1)) for row in points])


Labels = NDArray[np.int64]
"""The cluster of each individual."""
_STARTS, _ROUNDS = 10, 100
"""k-means: number of attempts, and maximum number of rounds per attempt."""


def linked(distance: Matrix, number: int) -> list[list[int]]:
    """Divide the individuals into this number of clusters, each a list of indices; the largest first.

    Agglomerative clustering with single linkage: the two clusters whose nearest members are closest merge, until
    `number` are left. The first pair counts on ties.
    """
    label = np.arange(len(distance))
    for _ in range(len(distance) - number):
        apart = np.where(label[:, None] == label[None, :], np.inf, distance)
        one, other = np.unravel_index(np.argmin(apart), apart.shape)
        label[label == label[other]] = label[one]
    return _members(label)


def by_means(points: Matrix, distance: Matrix, most: int, rng: np.random.Generator) -> list[list[int]]:
    """Clusters by k-means, in the number (at most `most`) with the greatest mean silhouette (P. Rousseeuw, 1987).

    Clusters points [n, d] and uses distance [n, n] for the silhouettes. Equal points give fewer clusters.
    """
    found = [_means(points, number, rng) for number in range(min(2, most), most + 1)]
    return _members(max(found, key=lambda label: silhouette(distance, label)))


def silhouette(distance: Matrix, label: Labels) -> float:
    """Mean of (b - a) / max(a, b), with mean distances a to an individual's own and b to the nearest other cluster.

    It is 0 for the only member of a cluster, and if there is only one cluster.
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
    """Labels by Lloyd's algorithm with k-means++ seeding (D. Arthur and S. Vassilvitskii, 2007)."""
    attempts = [_attempt(points, number, rng) for _ in range(_STARTS)]
    return min(attempts, key=lambda attempt: attempt[0])[1]


def _attempt(points: Matrix, number: int, rng: np.random.Generator) -> tuple[float, Labels]:
    """(sum of squared distances to the centres, labels) of one attempt."""
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
    """The clusters as lists of indices; the largest first."""
    found = [np.flatnonzero(label == which).tolist() for which in dict.fromkeys(label.tolist())]
    return sorted(found, key=lambda members: -len(members))


def pairings(number: int, games: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Each player moves first in `games` games against random others, without repetition if there are enough."""
    pairs = []
    for i in range(number):
        others = np.delete(np.arange(number), i)
        drawn: list[int] = rng.choice(others, games, replace=games > len(others)).tolist()
        pairs += [(i, other) for other in drawn]
    return pairs


def league(clusters: Sequence[Sequence[int]], games: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pairings within species: each individual moves first in `games` games against random members of its species."""
    pairs = []
    for members in clusters:
        if len(members) > 1:
            pairs += [(members[i], members[j]) for i, j in pairings(len(members), games, rng)]
    return pairs


def plane(distance: Matrix) -> Matrix:
    """Points [n, 2] whose distances approximate these, by classical multidimensional scaling (W. Torgerson, 1952)."""
    n = len(distance)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-centre @ np.square(distance) @ centre / 2)
    longest = np.argsort(-values)[:2]
    places: Matrix = vectors[:, longest] * np.sqrt(np.maximum(values[longest], 0))
    return places


def draw(species: Mapping[str, Any], axis: Any) -> None:
    """Draw the species of a run's summary into matplotlib's axes.

    species: `representatives`, one number each; `members`, lists of numbers; `places`, lists of their (x, y).
    """
    columns = (species[key] for key in ("representatives", "members", "places"))
    for i, (representative, members, places) in enumerate(zip(*columns, strict=True)):
        x, y = zip(*places, strict=True)
        label = f"{representative}: {len(members)}"
        axis.scatter(x, y, s=18, color=f"C{i % 10}", label=label, marker="o" if i < 10 else "x")
        elected = members.index(representative)
        axis.scatter(x[elected], y[elected], s=160, color=f"C{i % 10}", marker="*", edgecolors="black", zorder=3)
    axis.set_aspect("equal", "datalim")
    title = "species of the last generation; distances show differences, stars representatives"
    axis.set_title(title, fontsize="small")
    axis.legend(
        title="representative: members",
        fontsize="small",
        title_fontsize="small",
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    axis.grid(alpha=0.3)
