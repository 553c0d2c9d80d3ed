"""The experiment `anaconda`: Chellapilla and Fogel's evolution, and the strength of its champion."""

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from gameforge.experiments import Claim, Numbers, Report, Trial, Verdict
from gameforge.interfaces import kinds
from gameforge_kim_cho import evolved_players as evolved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRESET = "anaconda"
GENERATIONS = 840


@attrs.frozen(kw_only=True)
class Anaconda:
    """One evolution per seed; its champion plays its first generation, material players and a TD-trained player.

    * `games`: games of each match. * `td_games`: training games of the TD-trained opponent. * `step`: initial standard
    deviation of the mutations; 0.05 in the published evolution, according to secondary sources.
    """

    games: int = attrs.field(default=200, validator=evolved.PAIRED)
    td_games: int = attrs.field(default=2000, validator=kinds.at_least(20))
    step: float = attrs.field(default=0.05, validator=kinds.above(0))

    title = "Anaconda: a net that evolved without knowledge"
    source = "Chellapilla and Fogel 2001, by way of later papers: 840 generations, 126,000 games"
    seeds = 3
    least_scale = 0.003
    """Three generations."""
    after = {PRESET: (evolved.TD,)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return {evolved.TD: self.td_games / 60, PRESET: 2000.0}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolution depends on the scale."""
        whole = self.conditions[condition]
        return whole if condition == evolved.TD else evolved.seconds(whole, GENERATIONS, scale, self.games / 4)

    def run(self, trial: Trial) -> Numbers:
        if trial.condition == evolved.TD:
            return evolved.trained_by_td(trial, PRESET, self.td_games)
        changes = {"learner": {"step": self.step}}
        pipeline = evolved.evolution(trial, PRESET, changes)
        run = trial.run(pipeline, PRESET)
        champion = run.player.weights
        assert champion is not None
        return {
            "games": run.summary["games"],
            "generations": len(run.sessions),
            "king": float(champion[-1]),
            **evolved.measured(trial, pipeline, PRESET, changes, self.games),
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        trials = results[PRESET]
        kings = ", ".join(f"{trial['king']:.1f}" for trial in trials)
        return Report.of(
            f"{evolved.evolutions(len(trials))} of {trials[0]['generations']} generations "
            f"({trials[0]['games']:,} games) each; {GENERATIONS} generations of {GAMES:,} games are the published "
            "length. Scores are points a game; their intervals come from the pairs of games, from "
            f"{Report.FEWEST_SEEDS} seeds on from the means of the seeds. "
            "The ranges over the seeds show how much evolutions differ.\n",
            claims(trials),
            "The champion, the best individual of the last tournament:\n",
            evolved.match_rows(trials, "matches"),
            "Controls on the same ladder: the best of the first generation, and the champion's weights in random "
            "order:\n",
            *evolved.control_parts(trials),
            f"The king's value K began at 2 and came to {kings}.\n",
            scale=scale,
            numbers={"matches": evolved.pooled(trials, "matches")},
            figures={"fitness": lambda one: _fitness(one, trials), "ladder": lambda one: _ladder(one, trials)},
        )


GAMES = 126_000


def claims(trials: evolved.Trials) -> list[Claim]:
    """What later papers say about Anaconda."""
    matches, first = evolved.by_seed(trials, "matches"), evolved.by_seed(trials, "controls", evolved.FIRST_BEST)
    games = statistics.fmean(trial["games"] for trial in trials)
    length = Claim("training games", f"{GAMES:,}", f"{games:,.0f}", Verdict.NOT_INFORMATIVE)
    better, gain = matches[evolved.MATERIAL], "champion minus the best of the first generation, against"
    missing = "the opponent is not available"
    return [
        *([length] if games == GAMES else []),
        Claim(
            "champion against a program that counts material, same depth", "better", better, better.scores.above(0.5)
        ),
        *(Claim(f"champion against the {name}", "", matches[name]) for name in (evolved.FIRST, evolved.FIRST_BEST)),
        *(Claim(f"{gain} {rung}", "", (matches[rung].scores - first[rung].scores).signed) for rung in evolved.LADDER),
        Claim("champion against its own weights in random order", "", matches[evolved.SHUFFLED]),
        Claim("against Chinook's novice level (10 games)", "2 won, 4 lost, 4 drawn", missing),
        Claim("against Hoyle's Classic Games", "6 : 0", missing),
        Claim("population 15 + 15, 5 games each, +1/0/-2, 4 plies", "not verified", "assumed so"),
    ]


def _fitness(figure: "Figure", trials: evolved.Trials) -> None:
    best, diversity = figure.subplots(1, 2)
    evolved.curve(best, [trial["curves"]["fitness"] for trial in trials], "best")
    evolved.curve(best, [trial["curves"]["mean_fitness"] for trial in trials], "mean of the survivors")
    best.set(xlabel="generation", ylabel="points in the generation's tournament")
    best.legend()
    evolved.curve(diversity, [trial["curves"]["diversity"] for trial in trials], "")
    diversity.set(xlabel="generation", ylabel="mean difference of two nets' scores")


def _ladder(figure: "Figure", trials: evolved.Trials) -> None:
    rungs = [evolved.MATERIAL, *evolved.LADDER, evolved.TD]
    groups = {
        "champion": evolved.by_seed(trials, "matches"),
        evolved.FIRST_BEST: evolved.by_seed(trials, "controls", evolved.FIRST_BEST),
        evolved.SHUFFLED: evolved.by_seed(trials, "controls", evolved.SHUFFLED),
    }
    evolved.bars(figure.subplots(), rungs, groups)
