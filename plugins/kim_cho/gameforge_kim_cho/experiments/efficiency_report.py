"""Table and figure of the experiment `evolved-or-trained`."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.experiments.report import (
    Compared,
    comparison,
    differences,
    exceeds_zero,
    interval,
    judged,
    number,
    table,
)
from gameforge.experiments.tally import Tally
from gameforge.interfaces.experiment import Report

TD, SAME_NET = "TD", "evolved, the same net"
LINEAR_TD, LINEAR_EVOLVED = "TD, linear net", "evolved, linear net"
DARWEN = (
    ("TD learning is better than evolution for a net with hidden units", TD, SAME_NET),
    ("evolution is better than TD learning for a linear net", LINEAR_EVOLVED, LINEAR_TD),
)
"""Each claim of [Darwen2001] for backgammon, the way of learning that it calls better, and the other one."""
Trials = Sequence[Mapping[str, Any]]
Point = tuple[int, Tally, list[float]]
"""Training games; tally of all seeds on the ladder; score of each seed."""


def points(trials: Trials) -> list[Point]:
    """Results by number of training games, over all rungs of the ladder and all seeds."""
    found = []
    for step in zip(*(trial["points"] for trial in trials), strict=True):
        seeds = [Tally.total(map(Tally.read, point["ladder"].values())) for point in step]
        found.append((step[0]["games"], Tally.total(seeds), [one.score for one in seeds]))
    return found


def efficiency_report(by: Mapping[str, Trials]) -> Report:
    lines = {name: points(trials) for name, trials in by.items()}
    longest = {name: line[-1] for name, line in lines.items()}
    best = max(longest, key=lambda name: longest[name][1].score)
    beaten = [name for name, (_, tally, _) in longest.items() if tally.interval[1] < longest[best][1].interval[0]]
    games = longest[best][0]
    rows = [_darwen(longest, *claim) for claim in DARWEN]
    parts = [
        "Score (points a game, 95 %) against material players that search 2, 4 and 6 plies with alphabeta, all rungs "
        "together. All nets play with minimax of 4 plies and no database, including those that evolved with more. "
        "Anaconda's net knows the piece difference from the beginning, through its link to the output.\n",
        _table(lines),
        f"After {number(games)} games **{best}** has the highest score"
        + (f", beyond the error above: {', '.join(beaten)}.\n" if beaten else "; the others are within the error.\n"),
        _same_net(lines[TD], lines[SAME_NET]),
        _needed(lines, best),
        f"Darwen's question with the same net and {number(games)} games each, as differences of the scores seed by "
        "seed (95 %):\n",
        comparison(rows),
    ]
    return Report(
        text="\n".join(parts),
        numbers={
            "rows": [attrs.asdict(row) for row in rows],
            **{
                name: [{"games": games, "seeds": seeds, **tally.numbers} for games, tally, seeds in line]
                for name, line in lines.items()
            },
        },
        figures={"efficiency": lambda figure: _draw(figure, lines)},
    )


def _darwen(longest: Mapping[str, Point], claim: str, better: str, other: str) -> Compared:
    """Judge a claim by the scores after the longest trainings."""
    found, ours = differences(longest[better][2], longest[other][2])
    return judged(claim, "yes, in backgammon", ours, exceeds_zero(found))


def _table(lines: Mapping[str, Sequence[Point]]) -> str:
    rows = [
        (name, number(games), tally.text, interval(min(seeds), max(seeds), 2))
        for name, line in lines.items()
        for games, tally, seeds in line
    ]
    return table(("", "training games", "score (95 %)", "seeds from, to"), rows)


def _same_net(td: Sequence[Point], evolved: Sequence[Point]) -> str:
    """Which way of learning is significantly ahead with the same net."""
    pairs = list(zip(td[1:], evolved[1:], strict=True))
    ahead = sum(one.interval[0] > other.interval[1] for (_, one, _), (_, other, _) in pairs)
    trailing = sum(one.interval[1] < other.interval[0] for (_, one, _), (_, other, _) in pairs)
    return (
        f"With the same net and features, TD learning is ahead beyond the error at {ahead} of {len(pairs)} numbers of "
        f"games, evolution at {trailing}.\n"
    )


def _needed(lines: Mapping[str, Sequence[Point]], best: str) -> str:
    """How many games the best way of learning needs to reach the final score of each other way."""
    reached = []
    for name, line in lines.items():
        if name != best:
            games, tally, _ = line[-1]
            enough = next(needed for needed, own, _ in lines[best] if own.score >= tally.score)
            reached.append(f"{name} after {number(games)} games is reached after {number(enough)}")
    return f"By {best}, the mean score of {'; of '.join(reached)} games.\n" if reached else ""


def _draw(figure: Any, lines: Mapping[str, Sequence[Point]]) -> None:
    """Draw a line for each way of learning, with the interval over all pairs and a dot for each seed."""
    axes = figure.subplots()
    for name, line in lines.items():
        games = [point[0] for point in line]
        scores = np.array([point[1].score for point in line])
        ends = np.array([point[1].interval for point in line]).T
        drawn = axes.errorbar(games, scores, yerr=np.abs(ends - scores), capsize=3, label=name)
        for x, _, seeds in line:
            axes.plot([x] * len(seeds), seeds, "o", markersize=3, alpha=0.5, color=drawn[0].get_color())
    numbers = sorted({point[0] for line in lines.values() for point in line})
    axes.set_xscale("symlog", linthresh=numbers[1])
    axes.set_xticks(numbers, [number(games) for games in numbers])
    axes.minorticks_off()
    axes.axhline(0.5, color="gray", linewidth=0.8)
    axes.set(xlabel="training games", ylabel="points a game on the ladder", ylim=(0, 1))
    axes.legend(fontsize=8)
