"""Learning curves over several seeds: the mean of each figure, with the band of its 95 % interval."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gameforge.cli.shared.figure_png import figure_png
from gameforge.cli.shared.run_plot import DPI, curve, label_panel, panels, x_label
from gameforge.experiments.seed_runs import SeedRuns
from gameforge.storage.atomic import write_atomically


def mean_curve(found: SeedRuns, key: str) -> list[tuple[float, float, float, float]]:
    """(x, mean, low, high) of a figure after each session that all runs have finished and reported it for."""
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
    write_atomically(path, figure_png(figure, DPI))
