"""Tables and figures of the experiment `anaconda`."""

import functools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.report import (
    FEWEST_SEEDS,
    Compared,
    Mark,
    Verdict,
    comparison,
    differences,
    interval,
    judged,
    table,
    verdict,
)
from gameforge.experiments.tally import Tally, text_over_seeds
from gameforge.interfaces.experiment import Report
from gameforge_kim_cho.experiments.pictures import bars, curve
from gameforge_kim_cho.experiments.strength import FIRST, FIRST_BEST, LADDER, MATERIAL, SHUFFLED, TD

Trials = Sequence[Mapping[str, Any]]
GAMES, GENERATIONS = 126_000, 840


def by_seed(trials: Trials, *keys: str) -> dict[str, list[Tally]]:
    """Tallies by opponent, seed by seed; the keys lead to a trial's matches."""
    each = [functools.reduce(lambda found, key: found[key], keys, trial) for trial in trials]
    return {name: [Tally.read(matches[name]) for matches in each] for name in each[0]}


def pooled(trials: Trials, *keys: str) -> dict[str, Tally]:
    """The same tallies, summed over all seeds."""
    return {name: Tally.total(tallies) for name, tallies in by_seed(trials, *keys).items()}


def matches_table(trials: Trials, *keys: str) -> str:
    """A table of scores against each opponent, with the interval over seeds, and the range of single seeds.

    The last column says whether the player is better; it is empty with too few seeds for a verdict.
    """
    words = {None: "", Verdict.HOLDS: "better", Verdict.NOT_SHOWN: "not sure", Verdict.FAILS: "worse"}
    rows = []
    for name, seeds in by_seed(trials, *keys).items():
        total, scores = Tally.total(seeds), [one.score for one in seeds]
        found = words[verdict([score - 0.5 for score in scores])]
        span = interval(min(scores), max(scores), 2)
        rows.append((name, total.result, total.distinct, text_over_seeds(seeds), span, found))
    return table(("against", "won/lost/drawn", "distinct games", "score (95 %)", "seeds from, to", ""), rows)


def gains(trials: Trials) -> dict[str, str]:
    """What evolution has added on each rung of the ladder: differences of scores, seed by seed, as text."""
    champions, first = by_seed(trials, "matches"), by_seed(trials, "controls", FIRST_BEST)
    return {
        rung: differences([one.score for one in champions[rung]], [one.score for one in first[rung]])[1]
        for rung in LADDER
    }


def anaconda_report(trials: Trials, scale: float) -> Report:
    matches = pooled(trials, "matches")
    rows = _rows(trials)
    kings = ", ".join(f"{trial['king']:.1f}" for trial in trials)
    parts = [
        f"{len(trials)} evolution{'s' if len(trials) > 1 else ''} of {trials[0]['generations']} generations "
        f"({trials[0]['games']:,} games) each; {GENERATIONS} generations of {GAMES:,} games are the published length. "
        "Scores are points a game; their intervals come from the pairs of games, "
        f"from {FEWEST_SEEDS} seeds on from the means of the seeds. "
        "The ranges over the seeds show how much evolutions differ.\n",
        comparison(rows, scale),
        "The champion, the best individual of the last tournament:\n",
        matches_table(trials, "matches"),
        "Controls on the same ladder: the best of the first generation, and the champion's weights in random order:\n",
        *(f"{name}:\n\n{matches_table(trials, 'controls', name)}" for name in (FIRST_BEST, SHUFFLED)),
        f"The king's value K began at 2 and came to {kings}.\n",
    ]
    return Report(
        text="\n".join(parts),
        numbers={
            "rows": [attrs.asdict(row) for row in rows],
            "matches": {name: tally.numbers for name, tally in matches.items()},
        },
        figures={"fitness": lambda figure: _fitness(figure, trials), "ladder": lambda figure: _ladder(figure, trials)},
    )


def _rows(trials: Trials) -> list[Compared]:
    matches = by_seed(trials, "matches")
    games = statistics.fmean(trial["games"] for trial in trials)
    length = Compared(what="training games", published=f"{GAMES:,}", ours=f"{games:,.0f}", mark=Mark.NOT_INFORMATIVE)
    return [
        *([length] if games == GAMES else []),
        judged(
            "champion against a program that counts material, same depth",
            "better",
            text_over_seeds(matches[MATERIAL]),
            verdict([one.score - 0.5 for one in matches[MATERIAL]]),
        ),
        *(
            Compared(what=f"champion against the {name}", ours=text_over_seeds(matches[name]), mark=Mark.UNAVAILABLE)
            for name in (FIRST, FIRST_BEST)
        ),
        *(
            Compared(
                what=f"champion minus the best of the first generation, against {rung}",
                ours=gain,
                mark=Mark.UNAVAILABLE,
            )
            for rung, gain in gains(trials).items()
        ),
        Compared(
            what="champion against its own weights in random order",
            ours=text_over_seeds(matches[SHUFFLED]),
            mark=Mark.UNAVAILABLE,
        ),
        Compared(
            what="against Chinook's novice level (10 games)",
            published="2 won, 4 lost, 4 drawn",
            ours="the opponent is not available",
            mark=Mark.UNAVAILABLE,
        ),
        Compared(
            what="against Hoyle's Classic Games",
            published="6 : 0",
            ours="the opponent is not available",
            mark=Mark.UNAVAILABLE,
        ),
        Compared(
            what="population 15 + 15, 5 games each, +1/0/-2, 4 plies",
            published="not verified",
            ours="assumed so",
            mark=Mark.UNAVAILABLE,
        ),
    ]


def _fitness(figure: Any, trials: Trials) -> None:
    best, diversity = figure.subplots(1, 2)
    curve(best, [trial["curves"]["fitness"] for trial in trials], "best")
    curve(best, [trial["curves"]["mean_fitness"] for trial in trials], "mean of the survivors")
    best.set(xlabel="generation", ylabel="points in the generation's tournament")
    best.legend()
    curve(diversity, [trial["curves"]["diversity"] for trial in trials], "")
    diversity.set(xlabel="generation", ylabel="mean difference of two nets' scores")


def _ladder(figure: Any, trials: Trials) -> None:
    rungs = [MATERIAL, *LADDER, TD]
    groups = {
        "champion": by_seed(trials, "matches"),
        FIRST_BEST: by_seed(trials, "controls", FIRST_BEST),
        SHUFFLED: by_seed(trials, "controls", SHUFFLED),
    }
    bars(figure.subplots(), rungs, groups)
