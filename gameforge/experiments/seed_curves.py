"""Learning curves over several seeds of a pipeline: the mean of each figure, with the band of its 95 % interval."""

import math
from collections.abc import Sequence
from pathlib import Path

from gameforge.experiments.drawing import CURVES_DPI, figure_file
from gameforge.experiments.seed_runs import SeedRuns
from gameforge.storage.files import write_atomically
from gameforge.training.learning_curves import curve, label_panel, panels, x_label


def mean_curve(found: SeedRuns, key: str) -> list[tuple[float, float, float, float]]:
    """(x, mean, low, high) of a figure after each session that all runs have finished and reported it for."""
    import numpy as np

    curves = [curve(run.metrics, key) for run in found.runs]
    points = []
    for i in range(min(len(x) for x, _ in curves)):
        values = [y[i] for _, y in curves]
        if not any(map(math.isnan, values)):
            x = float(np.mean([x[i] for x, _ in curves]))
            points.append((x, float(np.mean(values)), *found.interval(key, values)))
    return points


def plot_seeds(found: Sequence[SeedRuns], path: Path) -> None:
    """Write a PNG with a panel for each figure and a curve with a band for each group; needs matplotlib."""
    from matplotlib.figure import Figure

    runs = [run for one in found for run in one.runs]
    keys = panels(runs)
    figure = Figure(figsize=(10, 1 + 2.1 * len(keys)), layout="constrained")
    for axis, key in zip(figure.subplots(len(keys), 1, sharex=True, squeeze=False)[:, 0], keys, strict=True):
        for one in found:
            points = mean_curve(one, key)
            if points:
                x, mean, low, high = (list(column) for column in zip(*points, strict=True))
                axis.plot(x, mean, linewidth=1.3, marker=".", markersize=5, label=one.title)
                axis.fill_between(x, low, high, alpha=0.2, linewidth=0)
        label_panel(axis, key, key)
    figure.axes[0].legend(fontsize="small")
    figure.axes[-1].set_xlabel(x_label(runs))
    figure.suptitle("means over seeds; band: 95 % interval", fontsize="medium")
    write_atomically(path, figure_file(figure, path.suffix.lower(), CURVES_DPI))
