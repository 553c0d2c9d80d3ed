"""Calibration: the mean predicted and the mean actual result of positions for which about the same is predicted."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
BINS = 20
INCHES = 4.0
"""Height of the picture."""
_LARGEST_DOT = 120.0


def calibration(predicted: Floats, results: Floats, importance: Floats) -> dict[str, list[Any]]:
    """Columns of a table, a row for each twentieth of expected results: number of positions, and both means.

    Results are 1 for a win of the side to move, 1/2 for a draw, 0 for a loss.
    """
    bins = np.minimum((predicted * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(bins, importance, BINS)
    there = counts > 0
    sums = [np.bincount(bins, importance * x.astype(np.float64), BINS) for x in (predicted, results)]
    means = [total[there] / counts[there] for total in sums]
    return {
        "positions": np.rint(counts[there]).astype(np.int64).tolist(),
        "predicted": means[0].round(4).tolist(),
        "actual": means[1].round(4).tolist(),
    }


def draw_calibration(columns: Mapping[str, Any], axis: Any) -> None:
    """Draw actual over predicted results into matplotlib's axes; dots are as large as their share."""
    most = max(columns["positions"])
    sizes = [max(8.0, _LARGEST_DOT * n / most) for n in columns["positions"]]
    axis.plot((0, 1), (0, 1), color="#888888", linewidth=0.8)
    axis.plot(columns["predicted"], columns["actual"], color="C0", linewidth=1.0)
    axis.scatter(columns["predicted"], columns["actual"], s=sizes, color="C0")
    axis.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted result", ylabel="actual result")
    axis.set_title("calibration on positions of games that were not trained with", fontsize="small")
    axis.grid(alpha=0.3)
