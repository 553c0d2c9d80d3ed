"""What positions should score: a blend of game results and search scores."""

import numpy as np
from gameforge_examples.positions import Positions
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
_SURE = 1e-6
"""Distance of a score from 0 and 1 below which it counts as this near."""
_SCALES = 1e-3, 1e3
_ROUNDS, _PRECISION = 100, 1e-9


def targets(positions: Positions, blend: float, calibrate: bool) -> Floats:
    """Expected result of each position for the side to move, 0 to 1; what an oracle knows needs no blending."""
    scores = positions.scores.astype(np.float64)
    if calibrate:
        for source in np.unique(positions.sources):
            here = (positions.sources == source) & ~positions.exact
            scores[here] = scaled(scores[here], score_scale(scores[here], positions.results[here].astype(np.float64)))
    blended = blend * positions.results + (1 - blend) * scores
    return np.where(positions.exact, positions.scores, blended).astype(np.float32)


def scaled(scores: Doubles, scale: float) -> Doubles:
    """Scores whose log-odds are multiplied."""
    return _expected(scale * _log_odds(scores))


def score_scale(scores: Doubles, results: Doubles) -> float:
    """Factor of the scores' log-odds with which they predict the results best (least cross-entropy).

    1 if it cannot be estimated: there are no scores, all of them are 1/2, or all results are alike.
    """
    odds = _log_odds(scores)
    if not len(odds) or not odds.any() or np.ptp(results) == 0:
        return 1.0
    low, high = _SCALES
    for _ in range(_ROUNDS):  # the slope of the loss rises with the factor
        middle = np.sqrt(low * high)
        slope = np.sum(odds * (_expected(middle * odds) - results))
        low, high = (low, middle) if slope > 0 else (middle, high)
        if high / low < 1 + _PRECISION:
            break
    return float(np.sqrt(low * high))


def _expected(odds: Doubles) -> Doubles:
    """1 / (1 + exp(-odds)), without overflow."""
    found: Doubles = (1 + np.tanh(odds / 2)) / 2
    return found


def _log_odds(scores: Doubles) -> Doubles:
    held = np.clip(scores, _SURE, 1 - _SURE)
    found: Doubles = np.log(held / (1 - held))
    return found
