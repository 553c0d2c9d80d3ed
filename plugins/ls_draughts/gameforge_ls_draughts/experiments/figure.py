"""The figure of the report of `ls-draughts`."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.report import FEWEST_SEEDS
from gameforge.experiments.statistics import mean_interval
from gameforge_ls_draughts.experiments.published import LOOP_GAMES, LOOPS, PLAYERS


def draw(
    figure: Any,
    loops: Mapping[str, Sequence[float]],
    seeds: Mapping[str, Sequence[float]],
    varied: Mapping[str, Mapping[str, Any]],
) -> None:
    """Draw a bar for the mean of the trainings, a dot for each, and a red line for the published count.

    seeds: mean of the trainings of each seed; their 95 % interval is drawn if there are enough for a verdict.
    """
    shown = {**{name: loops[name] for name in PLAYERS}, **{name: one["loops"] for name, one in varied.items()}}
    enough = len(seeds[PLAYERS[0]]) >= FEWEST_SEEDS
    axes = figure.subplots()
    for i, (name, values) in enumerate(shown.items()):
        axes.barh([i], [statistics.fmean(values)], color="tab:blue" if name in PLAYERS else "tab:gray", alpha=0.5)
        if enough and name in PLAYERS:
            axes.plot(mean_interval(seeds[name]), [i] * 2, color="tab:blue", linewidth=3)
        axes.plot(values, [i] * len(values), "o", color="black", markersize=4)
        if name in PLAYERS:
            axes.plot([LOOPS[name]] * 2, [i - 0.4, i + 0.4], color="tab:red", linewidth=2)
    axes.set_yticks(range(len(shown)), list(shown))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    interval = ", its 95 % interval over seeds" if enough else ""
    axes.set_xlabel(
        f"loop draws in {LOOP_GAMES:,} training games: mean{interval},\ntrainings, and the published count (red)"
    )
