"""Table and figure of the experiment `evolved-or-trained`."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.experiments.report import (
    FEWEST_SEEDS,
    Compared,
    Verdict,
    comparison,
    differences,
    interval,
    judged,
    mean_over_seeds,
    number,
    table,
    verdict,
)
from gameforge.experiments.statistics import SHARE, mean_interval
from gameforge.experiments.tally import Tally
from gameforge.interfaces.experiment import Report

TD, SAME_NET = "TD", "evolved, the same net"
LINEAR_TD, LINEAR_EVOLVED = "TD, linear net", "evolved, linear net"
DARWEN = (
    ("TD learning is better than evolution for a net with hidden units", TD, SAME_NET),
    ("evolution is better than TD learning for a linear net", LINEAR_EVOLVED, LINEAR_TD),
)
"""Each claim of [Darwen2001] for backgammon, the way of learning that it calls better, and the other one."""
_OTHERS = (
    ", including those that evolved with more. Anaconda's net knows the piece difference from the beginning, through "
    "its link to the output.\n"
)
"""Of evolutions with another net or search."""
Trials = Sequence[Mapping[str, Any]]


@attrs.frozen(kw_only=True)
class Point:
    """Results of all seeds after one number of training games, over all rungs of the ladder."""

    games: int
    """Training games of each seed."""
    tally: Tally
    """Games of all seeds together."""
    seeds: tuple[float, ...]
    """Score of each seed, in points a game."""

    @property
    def mean(self) -> float:
        """Mean score of the seeds."""
        return statistics.fmean(self.seeds)

    @property
    def ends(self) -> tuple[float, float]:
        """95 % interval of the mean over seeds (Student's t), within 0 and 1; the score itself for one seed."""
        return mean_interval(self.seeds, SHARE) if len(self.seeds) > 1 else (self.mean, self.mean)

    @property
    def text(self) -> str:
        """Mean, and its interval if there are several seeds."""
        return mean_over_seeds(self.seeds, 2, SHARE)


Lines = Mapping[str, Sequence[Point]]
"""Results of each way of learning by number of training games."""


def points(trials: Trials) -> list[Point]:
    """Results by number of training games."""
    found = []
    for step in zip(*(trial["points"] for trial in trials), strict=True):
        seeds = [Tally.total(map(Tally.read, point["ladder"].values())) for point in step]
        scores = tuple(one.score for one in seeds)
        found.append(Point(games=step[0]["games"], tally=Tally.total(seeds), seeds=scores))
    return found


def efficiency_report(by: Mapping[str, Trials], scale: float = 1.0) -> Report:
    lines = {name: points(trials) for name, trials in by.items()}
    longest = {name: line[-1] for name, line in lines.items()}
    best = max(longest, key=lambda name: longest[name].mean)
    beaten = [name for name in lines if _ahead(longest[best], longest[name])]
    games = number(longest[best].games)
    rows = [_darwen(longest, *claim) for claim in DARWEN if {*claim[1:]} <= {*lines}]
    parts = [
        "Score (points a game, mean and 95 % interval over seeds) against material players that search 2, 4 and 6 "
        "plies with alphabeta, all rungs together. All nets play with minimax of 4 plies and no database"
        + (_OTHERS if {*lines} - {TD, SAME_NET, LINEAR_TD, LINEAR_EVOLVED} else ".\n"),
        _table(lines),
        f"After {games} games **{best}** has the highest score"
        + (f", in the differences seed by seed beyond the error above: {', '.join(beaten)}.\n" if beaten else ".\n"),
        _same_net(lines[TD], lines[SAME_NET]),
        _differences(lines),
        _needed(lines, best),
    ]
    if rows:
        text = f"Darwen's question with {games} games each, as differences of the scores seed by seed (95 %):\n"
        parts += [text, comparison(rows, scale)]
    return Report(
        text="\n".join(parts),
        numbers={
            "rows": [attrs.asdict(row) for row in rows],
            **{
                name: [{"games": one.games, "seeds": one.seeds, **one.tally.numbers} for one in line]
                for name, line in lines.items()
            },
        },
        figures={"efficiency": lambda figure: _draw(figure, lines)},
    )


def _ahead(one: Point, other: Point) -> bool:
    """Whether the first is better beyond chance, seed by seed; never with fewer seeds than a verdict needs."""
    return verdict(differences(one.seeds, other.seeds)[0]) is Verdict.HOLDS


def _darwen(longest: Mapping[str, Point], claim: str, better: str, other: str) -> Compared:
    """Judge a claim by the scores after the longest trainings."""
    found, ours = differences(longest[better].seeds, longest[other].seeds)
    return judged(claim, "yes, in backgammon", ours, verdict(found))


def _table(lines: Lines) -> str:
    rows = [
        (
            name,
            number(one.games),
            one.text,
            interval(min(one.seeds), max(one.seeds), 2),
            one.tally.distinct_text,
        )
        for name, line in lines.items()
        for one in line
    ]
    return table(("", "training games", "score (95 %)", "seeds from, to", "distinct games"), rows)


def _same_net(td: Sequence[Point], evolved: Sequence[Point]) -> str:
    """Which way of learning is ahead with the same net."""
    if len(td[0].seeds) < FEWEST_SEEDS:
        return f"With fewer than {FEWEST_SEEDS} seeds there is no verdict about TD learning and evolution.\n"
    pairs = list(zip(td[1:], evolved[1:], strict=True))
    ahead = sum(_ahead(one, other) for one, other in pairs)
    trailing = sum(_ahead(other, one) for one, other in pairs)
    return (
        f"With the same net and features, TD learning is ahead beyond the error at {ahead} of {len(pairs)} numbers of "
        f"games, evolution at {trailing}.\n"
    )


def _differences(lines: Lines) -> str:
    """By how much TD learning is ahead with the same net, after each number of games."""
    pairs = {"with hidden units": (TD, SAME_NET), "linear net": (LINEAR_TD, LINEAR_EVOLVED)}
    met = {net: [lines[name] for name in names] for net, names in pairs.items() if {*names} <= {*lines}}
    rows = [
        (number(one.games), *(differences(td[i].seeds, evolved[i].seeds)[1] for td, evolved in met.values()))
        for i, one in enumerate(lines[TD])
    ]
    what = "Score of TD learning minus that of evolution with the same net, seed by seed (95 %):\n\n"
    return what + table(("training games", *met), rows)


def _needed(lines: Lines, best: str) -> str:
    """How many games the best way of learning needs to reach the final score of each other way."""
    reached = []
    for name, line in lines.items():
        if name != best:
            last = line[-1]
            enough = next(own.games for own in lines[best] if own.mean >= last.mean)
            reached.append(f"{name} after {number(last.games)} games is reached after {number(enough)}")
    return f"By {best}, the mean score of {'; of '.join(reached)} games.\n" if reached else ""


def _draw(figure: Any, lines: Lines) -> None:
    """Draw a line for each way of learning, a band for the interval over seeds, and a dot for each seed."""
    axes = figure.subplots()
    for name, line in lines.items():
        games = [one.games for one in line]
        ends = np.array([one.ends for one in line]).T
        (drawn,) = axes.plot(games, [one.mean for one in line], label=name)
        axes.fill_between(games, *ends, alpha=0.2, color=drawn.get_color())
        for one in line:
            dots = [one.games] * len(one.seeds)
            axes.plot(dots, one.seeds, "o", markersize=3, alpha=0.5, color=drawn.get_color())
    numbers = sorted({one.games for line in lines.values() for one in line})
    axes.set_xscale("symlog", linthresh=numbers[1])
    axes.set_xticks(numbers, [number(games) for games in numbers])
    axes.minorticks_off()
    axes.axhline(0.5, color="gray", linewidth=0.8)
    axes.set(xlabel="training games", ylabel="points a game on the ladder", ylim=(0, 1))
    axes.legend(fontsize=8)
