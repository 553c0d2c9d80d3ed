"""Figures of the report of `uct-ccnn`."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.statistics import mean_interval

Numbers = Mapping[str, Any]


def draw_training(figure: Any, nets: Mapping[str, Sequence[Numbers]]) -> None:
    """Draw training and test error by number of hidden units, as in [Rezende2017], figures 6 and 7.

    nets: those of each seed, by the title of their axes. Several seeds are drawn as their mean, with its 95 % interval
    as a band.
    """
    for place, (title, seeds) in enumerate(nets.items(), 1):
        axes = figure.add_subplot(1, len(nets), place)
        units = min((net["neurons by neuron"] for net in seeds), key=len)  # that all seeds have
        means = {}
        for part in ("train", "test"):
            errors = list(zip(*(net[f"{part}_mse by neuron"][: len(units)] for net in seeds), strict=True))
            means[part] = [statistics.fmean(one) for one in errors]
            (line,) = axes.plot(units, means[part], label=part)
            if len(seeds) > 1:
                low, high = zip(*map(mean_interval, errors), strict=True)
                axes.fill_between(units, low, high, alpha=0.2, linewidth=0, color=line.get_color())
        best = min(zip(means["test"], units, strict=True))[1]
        axes.axvline(best, color="gray", linewidth=0.8, linestyle=":", label=f"lowest test error: {best}")
        axes.set(title=title, xlabel="hidden units", ylabel="mean squared error")
        axes.legend()


def draw_heights(figure: Any, nets: Mapping[str, Mapping[str, Numbers]], heights: Sequence[int]) -> None:
    """Draw the score against the opponent by height."""
    for place, (opened, title) in enumerate((("start", "from the start"), ("random", "random openings")), 1):
        axes = figure.add_subplot(1, 2, place)
        for name, found in nets.items():
            tallies = [found[f"{opened} {height}"] for height in heights]
            scores = [100 * one["score"] for one in tallies]
            reach = [
                [100 * one["score"] - 100 * one["interval"][0] for one in tallies],
                [100 * one["interval"][1] - 100 * one["score"] for one in tallies],
            ]
            axes.errorbar(heights, scores, reach if opened == "random" else None, marker="o", capsize=3, label=name)
        axes.axhline(50, color="gray", linewidth=0.8)
        axes.set(title=title, xlabel="plies of NeuralMinimax", ylabel="score %", ylim=(-3, 103), xticks=list(heights))
        axes.legend()
