"""Plots shared by the reports; all draw into matplotlib's axes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gameforge.experiments.report import FEWEST_SEEDS
from gameforge.experiments.statistics import mean_interval
from gameforge.experiments.tally import Tally, interval_over_seeds


def curve(axes: Any, runs: Sequence[Sequence[float]], label: str) -> None:
    """Draw the mean of the seeds by generation, in the band of its 95 % interval over the seeds.

    With too few seeds for a verdict, the band is from their minimum to their maximum.
    """
    values = np.array([run[: min(map(len, runs))] for run in runs])
    enough = len(runs) >= FEWEST_SEEDS
    ends = [mean_interval(column) if enough else (column.min(), column.max()) for column in values.T]
    x = np.arange(1, values.shape[1] + 1)
    (line,) = axes.plot(x, values.mean(axis=0), label=label)
    axes.fill_between(x, *zip(*ends, strict=True), alpha=0.2, color=line.get_color())
    if len(runs) > 1:
        bands = "95 % intervals" if enough else "minimum to maximum"
        axes.set_title(f"means; bands: {bands} over seeds", fontsize=8)


def bars(axes: Any, rungs: Sequence[str], groups: Mapping[str, Mapping[str, Sequence[Tally]]]) -> None:
    """Draw scores against each rung with 95 % intervals, one colour per player; the legend names their units.

    groups: tallies of each seed, by rung and player. Rungs that a player has not met are skipped.
    """
    width = 0.8 / len(groups)
    for i, (name, tallies) in enumerate(groups.items()):
        played = [(place, tallies[rung]) for place, rung in enumerate(rungs) if rung in tallies]
        scores = np.array([Tally.total(seeds).score for _, seeds in played])
        ends = np.array([interval_over_seeds(seeds) for _, seeds in played]).T
        places = np.array([place for place, _ in played]) + (i - (len(groups) - 1) / 2) * width
        seeds = max((len(each) for _, each in played), default=0)
        units = "seeds" if seeds >= FEWEST_SEEDS else "openings"
        axes.bar(places, scores, width, yerr=np.abs(ends - scores), capsize=2, label=f"{name} (over {units})")
    axes.axhline(0.5, color="gray", linewidth=0.8)
    axes.set_xticks(range(len(rungs)), [rung.replace(", ", ",\n") for rung in rungs], fontsize=7)
    axes.set_title("error bars: 95 %", fontsize=8)
    axes.set(ylim=(0, 1), ylabel="points a game")
    axes.legend(fontsize=7)
