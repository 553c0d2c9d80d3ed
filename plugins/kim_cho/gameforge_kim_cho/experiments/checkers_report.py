"""Tables and figures of the experiment `kim-cho-checkers`."""

import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.report import (
    FEWEST_SEEDS,
    Compared,
    Mark,
    comparison,
    judged,
    judged_same,
    table,
    verdict,
)
from gameforge.experiments.tally import Tally, text_over_seeds
from gameforge.interfaces.experiment import Report, Result
from gameforge_kim_cho.experiments.anaconda_report import by_seed, matches_table, pooled
from gameforge_kim_cho.experiments.pictures import bars, curve
from gameforge_kim_cho.experiments.strength import FIRST_BEST, LADDER, MATERIAL, SHUFFLED, TD

SIMPLE, PLAIN, OPENING, ENDGAME, BOTH = "simple", "speciated", "opening", "endgame", "opening+endgame"
KNOWLEDGE = (PLAIN, OPENING, ENDGAME, BOTH)
SIMPLE_BOTH = "simple, opening+endgame"
"""Not in the paper: what knowledge brings to an evolution without species."""
PUBLISHED: Mapping[tuple[str, str], tuple[int, int, int]] = {
    (BOTH, OPENING): (14, 6, 10),
    (BOTH, ENDGAME): (9, 10, 11),
    (ENDGAME, OPENING): (13, 5, 12),
}
"""Wins, losses and draws of the first player in 30 games; the paper prints the last from the other side, 5/13/12."""
AGAINST_SIMPLE = "against simple"
"""Matches of the voters of each kind, and of the simple champion with knowledge, against the simple champion."""
EVEN_WITHIN = 0.05
"""Points a game within which the mean score must lie, with its interval, for two players to be called even."""
TOGETHER = "vote"
GATED, EVERYWHERE, WITHOUT = "database behind the gate", "database everywhere", "no database"
SAME_NET = ((GATED, WITHOUT), (EVERYWHERE, WITHOUT), (GATED, EVERYWHERE))

Trials = Sequence[Mapping[str, Any]]
Matches = Mapping[str, Sequence[Tally]]
"""Tallies of each seed, by the names of the players."""


def checkers_report(results: Sequence[Result], scale: float) -> Report:
    by = {name: [r.numbers for r in results if r.condition == name] for name in (SIMPLE, SIMPLE_BOTH, *KNOWLEDGE)}
    played = [r.numbers for r in results if r.condition == "matches"]
    league = [one["matches"] for one in played]
    between = {kind: by_seed(league, kind) for kind in ("vote", "champion")}
    rows = [*_published(between["vote"]), *_shown(by, between["vote"], by_seed(played, "database"))]
    begun = by[PLAIN][0]
    parts = [
        f"{len(league)} seed{'s' if len(league) > 1 else ''}; each evolution has {begun['generations']} generations "
        f"({begun['games']:,} games with the species' leagues), the published ones have 50. Scores are points a game; "
        f"their intervals come from the pairs of games, from {FEWEST_SEEDS} seeds on from the means of the seeds.\n",
        comparison(rows, scale),
        "All kinds of knowledge against each other. The voters are the representatives of the species. If one of the "
        "two players has the book, games begin at the initial position. Otherwise, and in all matches against other "
        "players, they begin with the three-move ballots, where books are of little use:\n",
        _league(between["vote"], between["champion"]),
        "Against the champion of the simple evolution, without knowledge: the voters of each kind, and the simple "
        "champion that evolved with both kinds of knowledge:\n",
        _by_name(league, AGAINST_SIMPLE),
        "One net, the champion that evolved without knowledge, plays with and without the database:\n",
        _by_name(played, "database"),
        *(_section(name, trials) for name, trials in by.items()),
        "## One player of the species' representatives\n",
        "The representatives against the champion of the same evolution, by vote, and by one search with the average, "
        "the maximum and the minimum of their scores:\n",
        _together(by),
        "Each representative alone against the same champion, in the order of their species' points:\n",
        _alone(by),
    ]
    figures = {
        "fitness": lambda figure: _fitness(figure, by),
        "knowledge": lambda figure: _knowledge(figure, between),
        "ladder": lambda figure: _ladder(figure, by),
    }
    numbers = {
        "rows": [attrs.asdict(row) for row in rows],
        AGAINST_SIMPLE: _totals(league, AGAINST_SIMPLE),
        "same net": _totals(played, "database"),
        "between": {kind: _totals(league, kind) for kind in between},
    }
    return Report(text="\n".join(parts), numbers=numbers, figures=figures)


def _totals(trials: Trials, key: str) -> dict[str, Any]:
    return {name: tally.numbers for name, tally in pooled(trials, key).items()}


def _row(what: str, published: str, tallies: Sequence[Tally], ahead: int) -> Compared:
    """A claim that the player is better (ahead > 0), worse or even, judged by its scores in the matches of each seed.

    From five seeds on the seeds are the units, so that repeated games within a match do no harm. With fewer, the row is
    not informative if fewer than half of the games are different.
    """
    ours = Tally.total(tallies)
    over = [one.score - 0.5 for one in tallies]
    text = f"{ours.result}: {text_over_seeds(tallies)}"
    if len(tallies) < FEWEST_SEEDS and ours.repeats:
        return Compared(what=what, published=published, ours=text, mark=Mark.NOT_INFORMATIVE)
    if not ahead:
        return judged_same(what, published, text, over, EVEN_WITHIN)
    return judged(what, published, text, verdict(over if ahead > 0 else [-one for one in over]))


def _published(voters: Matches) -> list[Compared]:
    rows = []
    for (one, other), published in PUBLISHED.items():
        wins, losses, _ = published
        ahead = 0 if abs(wins - losses) <= 1 else wins - losses
        what, text = f"{one} against {other}, won/lost/drawn", "/".join(map(str, published))
        rows.append(_row(what, text, voters[f"{one} - {other}"], ahead))
    return rows


def _shown(by: Mapping[str, Trials], voters: Matches, same_net: Matches) -> list[Compared]:
    """The claims that the source makes in words, and results that it does not give."""
    pairs = zip(voters[f"{ENDGAME} - {PLAIN}"], voters[f"{BOTH} - {OPENING}"], strict=True)
    endgame = [Tally.total(both) for both in pairs]
    vote = by_seed(by[PLAIN], "vote against single")["champion"]
    species, simple = (text_over_seeds(by_seed(by[name], "matches")[MATERIAL]) for name in (PLAIN, SIMPLE))
    return [
        _row("players with the endgame database against those without", "better", endgame, 1),
        Compared(
            what="one net with the gated database against itself without",
            ours=text_over_seeds(same_net[f"{GATED} - {WITHOUT}"]),
            mark=Mark.UNAVAILABLE,
        ),
        _row("species' representatives together against the best single net", "better", vote, 1),
        Compared(
            what="against material with the same search: speciated, simple",
            ours=f"{species}; {simple}",
            mark=Mark.UNAVAILABLE,
        ),
        Compared(what="search depth", ours="4 plies", mark=Mark.UNAVAILABLE),
    ]


def _league(vote: Matches, champion: Matches) -> str:
    rows = [(name, *_cells(vote[name]), *_cells(champion[name])) for name in vote]
    return table(("", "voters", "distinct", "score (95 %)", "champions", "distinct", "score (95 %)"), rows)


def _cells(tallies: Sequence[Tally]) -> tuple[object, ...]:
    """Won/lost/drawn, number of distinct games, and score with its interval over seeds."""
    total = Tally.total(tallies)
    return total.result, total.distinct, text_over_seeds(tallies)


def _by_name(trials: Trials, key: str) -> str:
    """A table of the matches in a trial, over seeds."""
    rows = [(name, *_cells(tallies)) for name, tallies in by_seed(trials, key).items()]
    return table(("", "won/lost/drawn", "distinct", "score (95 %)"), rows)


def _section(name: str, trials: Trials) -> str:
    parts = [f"## {name[0].upper()}{name[1:]}\n", "The champion:\n", matches_table(trials, "matches")]
    if TOGETHER in trials[0]:
        sizes = [sorted(map(len, trial["species"]["members"]), reverse=True) for trial in trials]
        parts += [
            "The representatives by vote:\n",
            matches_table(trials, TOGETHER),
            f"Sizes of the species: {'; '.join(', '.join(map(str, found)) for found in sizes)}.\n",
        ]
    parts += [f"{control}:\n\n{matches_table(trials, 'controls', control)}" for control in (FIRST_BEST, SHUFFLED)]
    return "\n".join(parts)


def _together(by: Mapping[str, Trials]) -> str:
    rows = []
    for name in KNOWLEDGE:
        where = [("vote against single",), *(("ensembles", combine) for combine in ("average", "max", "min"))]
        found = [by_seed(by[name], *keys)["champion"] for keys in where]
        rows.append((name, *map(text_over_seeds, found), Tally.total(itertools.chain(*found)).distinct_text))
    return table(("", "vote", "average", "max", "min", "distinct games"), rows)


def _alone(by: Mapping[str, Trials]) -> str:
    """Scores of the single voters, which indicate what to expect of their majority."""
    rows = []
    for name in KNOWLEDGE:
        for seed, trial in enumerate(by[name], 1):
            tallies = list(map(Tally.read, trial["alone"].values()))
            scores = [one.score for one in tallies]
            listed = ", ".join(f"{score:.2f}" for score in scores)
            rows.append((name, seed, listed, f"{statistics.fmean(scores):.2f}", Tally.total(tallies).distinct_text))
    return table(("", "seed", "scores", "mean", "distinct games"), rows)


def _fitness(figure: Any, by: Mapping[str, Trials]) -> None:
    best, diversity = figure.subplots(1, 2)
    for name, trials in by.items():
        curve(best, [trial["curves"]["mean_fitness"] for trial in trials], name)
        curve(diversity, [trial["curves"]["diversity"] for trial in trials], name)
    best.set(xlabel="generation", ylabel="mean points of the survivors")
    diversity.set(xlabel="generation", ylabel="mean difference of two nets' scores")
    diversity.legend(fontsize=7)


def _knowledge(figure: Any, between: Mapping[str, Matches]) -> None:
    """Draw ours for the three matches of the table, and mark the published scores, which are of 30 games each."""
    axes = figure.subplots()
    names = [f"{one} - {other}" for one, other in PUBLISHED]
    bars(axes, names, {"ours, voters": between["vote"], "ours, champions": between["champion"]})
    scores = [(wins + draws / 2) / (wins + losses + draws) for wins, losses, draws in PUBLISHED.values()]
    axes.plot(range(len(names)), scores, "kD", markersize=5, label="published, 30 games")
    axes.legend(fontsize=7)


def _ladder(figure: Any, by: Mapping[str, Trials]) -> None:
    groups = {name: by_seed(trials, "matches") for name, trials in by.items()}
    groups[FIRST_BEST] = by_seed(by[PLAIN], "controls", FIRST_BEST)
    groups[SHUFFLED] = by_seed(by[PLAIN], "controls", SHUFFLED)
    bars(figure.subplots(), [MATERIAL, *LADDER, TD], groups)
