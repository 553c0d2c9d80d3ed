"""Ratings of several players from the matches between them.

Elo ratings by maximum likelihood (a draw is half a win), with the mean 0. Each match counts one more
drawn game, so that also those have a rating who won or lost everything. The error bars take the
spread of the pairs of games into account (sandwich estimator: H^-1 V H^-1, H the curvature of the
likelihood, V the variance of its slope).
"""

import math
from collections.abc import Sequence

import attrs

from gameforge.play.arena.elo import CONFIDENCE, Pentanomial, mean_and_variance

_SLOPE = math.log(10) / 400
"""Of the logistic curve, per Elo."""
_STEPS, _PRECISION = 100, 1e-9


@attrs.frozen
class Rating:
    """Elo against the mean of all players, with half of its 95 % interval."""

    elo: float
    error: float


@attrs.frozen
class Meeting:
    """A match of two players, by index."""

    first: int
    second: int
    pairs: Pentanomial
    """From the side of the first."""


def ratings(players: int, meetings: Sequence[Meeting]) -> list[Rating]:
    """The rating of each player; all must be connected by meetings."""
    import numpy as np

    elos = np.zeros(players)
    spread = np.zeros((players, players))
    for _ in range(_STEPS):
        slope, curvature, spread = np.zeros(players), np.zeros((players, players)), np.zeros((players, players))
        for meeting in meetings:
            i, j, pairs = meeting.first, meeting.second, sum(meeting.pairs)
            mean, variance = mean_and_variance(meeting.pairs)
            games = 2 * pairs + 1
            points = 2 * pairs * mean + 0.5
            expected = 1 / (1 + 10 ** ((elos[j] - elos[i]) / 400))
            single = expected * (1 - expected)
            slope[[i, j]] += _SLOPE * (points - games * expected) * np.array([1, -1])
            # A pair's variance is of its mean score; one that shows none is taken from the model.
            noise = 4 * pairs * variance * pairs / max(1, pairs - 1) if variance > 0 else games * single
            for matrix, weight in ((curvature, games * single), (spread, noise)):
                matrix[np.ix_([i, j], [i, j])] += _SLOPE**2 * weight * np.array([[1, -1], [-1, 1]])
        step = np.linalg.pinv(curvature) @ slope
        elos += np.clip(step, -400, 400)
        if np.abs(step).max() < _PRECISION:
            break
    inverse = np.linalg.pinv(curvature)
    errors = CONFIDENCE * np.sqrt(np.diag(inverse @ spread @ inverse))
    return [Rating(float(elo), float(error)) for elo, error in zip(elos - elos.mean(), errors, strict=True)]
