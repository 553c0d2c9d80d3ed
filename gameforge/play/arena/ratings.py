"""Ratings of several players from the matches between them.

Elo ratings by maximum likelihood (a draw is half a win), with mean 0. One drawn game is added to each match, so that
players who won or lost every game have a finite rating. The error bars take the spread of the pairs of games into
account (sandwich estimator: H^-1 V H^-1, where H is the curvature of the likelihood and V the variance of its slope).
"""

import math
from collections.abc import Sequence

import attrs

from gameforge.play.arena.elo import CONFIDENCE, mean_and_variance

_SLOPE = math.log(10) / 400
"""Steepness of the logistic curve, per Elo point."""
_STEPS, _PRECISION = 100, 1e-9


@attrs.frozen
class Rating:
    """Elo relative to the mean of all players, with half the width of its 95 % interval."""

    elo: float
    """Elo, 0 for the mean of all players."""
    error: float
    """Half the width of the 95 % interval."""


@attrs.frozen
class Meeting:
    """A match between two players, given by index."""

    first: int
    """Index of the first player."""
    second: int
    """Index of the second player."""
    pairs: Sequence[float]
    """Numbers of independent pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""


def ratings(players: int, meetings: Sequence[Meeting]) -> list[Rating]:
    """Rate players; the meetings must connect all of them."""
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
            # `variance` is that of a pair's score per game. Without spread, the variance of the model is taken.
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
