"""Figures of the report of `uct-ccnn`."""

from collections.abc import Mapping, Sequence
from typing import Any

Numbers = Mapping[str, Any]


def draw_training(figure: Any, nets: Mapping[str, Numbers]) -> None:
    """Draw training and test error by number of hidden units, as in [Rezende2017], figures 6 and 7."""
    for place, (name, net) in enumerate(nets.items(), 1):
        axes = figure.add_subplot(1, len(nets), place)
        for part in ("train", "test"):
            axes.plot(net["neurons by neuron"], net[f"{part}_mse by neuron"], label=part)
        best = min(zip(net["test_mse by neuron"], net["neurons by neuron"], strict=True))[1]
        axes.axvline(best, color="gray", linewidth=0.8, linestyle=":", label=f"lowest test error: {best}")
        axes.set(title=f"{name} budget", xlabel="hidden units", ylabel="mean squared error")
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
