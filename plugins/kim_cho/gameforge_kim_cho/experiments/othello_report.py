"""Tables and figures of the experiment `kim-cho-othello`."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.report import Compared, Mark, comparison, interval, number, probability, table
from gameforge.experiments.statistics import bootstrap_interval, sign_flip_test
from gameforge.interfaces.experiment import Report
from gameforge_kim_cho.experiments.anaconda_report import matches_table, pooled
from gameforge_kim_cho.experiments.pictures import bars, curve
from gameforge_kim_cho.experiments.strength import FIRST_BEST, LADDER, SHUFFLED, TD

PLAIN, BOOK = "without a book", "with the book"
STANDARD = "standard table"
WHOLE = 100
"""Published generations."""
EVEN = 500
"""Points in 1,000 games between equal players."""

Trials = Sequence[Mapping[str, Any]]


def othello_report(by: Mapping[str, Trials], fresh: int) -> Report:
    trials = by[PLAIN]
    rows = _rows(by)
    parts = [
        f"{len(trials)} evolutions of {trials[0]['generations']} generations with and without the book; the published "
        "ones have 100. Fitness: points of 1,000 games against the standard table, where both sides draw 10 % of their "
        "moves at random.\n",
        comparison(rows),
        f"The best fitness of a generation is that of the luckiest of 50. The same players in {number(fresh)} new "
        "games, which did not serve for selection (points in 1,000 games):\n",
        _fresh_table(by),
        *(_ladder_text(name, found) for name, found in by.items()),
    ]
    return Report(
        text="\n".join(parts),
        numbers={"rows": [attrs.asdict(row) for row in rows], "fresh": {name: _fresh(t) for name, t in by.items()}},
        figures={"fitness": lambda figure: _fitness(figure, by), "ladder": lambda figure: _ladder(figure, by)},
    )


def _text(values: Sequence[float]) -> str:
    """The mean, with its 95 % interval if there are several values."""
    mean = number(statistics.fmean(values))
    return mean if len(values) < 2 else f"{mean} ({interval(*bootstrap_interval(values))})"


def _rows(by: Mapping[str, Trials]) -> list[Compared]:
    plain, book = by[PLAIN], by[BOOK]
    first, last = ([trial["best"][i] for trial in plain] for i in (0, -1))
    first_mean, last_mean = ([trial["mean"][i] for trial in plain] for i in (0, -1))
    best = {name: [max(trial["best"]) for trial in trials] for name, trials in by.items()}
    means = {name: [trial["mean"][-1] for trial in trials] for name, trials in by.items()}
    higher = [round(10 * (b - p)) for b, p in zip(best[BOOK], best[PLAIN], strict=True)]
    apart = [round(10 * (b - p)) for b, p in zip(means[BOOK], means[PLAIN], strict=True)]
    return [
        Compared(
            what="best of the first generation, higher than its mean",
            published="about 400; mean about 200",
            ours=f"{_text(first)}; mean {_text(first_mean)}",
            mark=Mark.NOT_INFORMATIVE,  # the best of several is never below their mean
        ),
        Compared(
            what="best of the last generation, higher than the standard table",
            published="about 540",
            ours=_text(last),
            mark=Mark.ORDERING,
            holds=bootstrap_interval(last)[0] > EVEN,
        ),
        Compared(
            what="mean of the last generation, higher than the first one's",
            published="converges to about 500",
            ours=_text(last_mean),
            mark=Mark.ORDERING,
            holds=min(last_mean) > max(first_mean),
        ),
        Compared(
            what="highest fitness, with the book higher than without (p by signs)",
            published="higher",
            ours=f"{_text(best[BOOK])}; {_text(best[PLAIN])} (p {probability(sign_flip_test(higher))})",
            mark=Mark.ORDERING,
            holds=sum(higher) > 0 and sign_flip_test(higher) < 0.05,
        ),
        Compared(
            what="mean of the last generation, the same with and without the book (p by signs)",
            published="the same",
            ours=f"{_text(means[BOOK])}; {_text(means[PLAIN])} (p {probability(sign_flip_test(apart))})",
            mark=Mark.ORDERING,
            holds=sign_flip_test(apart) >= 0.05,
        ),
        Compared(
            what="champion against the standard table in new games",
            ours=f"{_text(_fresh(plain)['champion'])}; with the book {_text(_fresh(book)['champion'])}",
            mark=Mark.UNAVAILABLE,
        ),
        Compared(
            what="place in the CEC 2006 competition",
            published="about 12th, by the fitness",
            ours="its table is not available",
            mark=Mark.UNAVAILABLE,
        ),
    ]


def _fresh(trials: Trials) -> dict[str, list[float]]:
    return {name: [trial["fresh"][name] for trial in trials] for name in trials[0]["fresh"]}


def _fresh_table(by: Mapping[str, Trials]) -> str:
    fresh = {name: _fresh(trials) for name, trials in by.items()}
    names = list(fresh[PLAIN])
    return table(("", *by), [(name, *(_text(found[name]) for found in fresh.values())) for name in names])


def _ladder_text(name: str, trials: Trials) -> str:
    parts = [f"## The ladder, {name}\n", "Random moves only in the first six plies.\n"]
    for who in trials[0]["ladder"]:
        parts += [f"{who}:\n", matches_table(trials, "ladder", who)]
    return "\n".join(parts)


def _fitness(figure: Any, by: Mapping[str, Trials]) -> None:
    axes = figure.subplots()
    for name, trials in by.items():
        curve(axes, [trial["best"] for trial in trials], f"best, {name}")
        curve(axes, [trial["mean"] for trial in trials], f"mean, {name}")
    axes.axhline(EVEN, color="gray", linewidth=0.8)
    published = {1: (400, 200), WHOLE: (540,)}
    shown = [(x, y) for x, ys in published.items() for y in ys if x <= len(by[PLAIN][0]["best"])]
    axes.plot(*zip(*shown, strict=True), "D", color="black", markersize=5, label="published, about")
    axes.set(xlabel="generation", ylabel="points of 1,000 games", ylim=(0, 700))
    axes.legend(fontsize=8)


def _ladder(figure: Any, by: Mapping[str, Trials]) -> None:
    groups = {f"champion {name}": pooled(trials, "ladder", "champion") for name, trials in by.items()}
    groups |= {who: pooled(by[PLAIN], "ladder", who) for who in (FIRST_BEST, SHUFFLED, STANDARD)}
    bars(figure.subplots(), [STANDARD, *LADDER, TD], groups)
