"""The experiment `anaconda`: Chellapilla and Fogel's evolution, and the strength of its champion."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments import (
    FEWEST_SEEDS,
    Compared,
    Mark,
    Report,
    Result,
    Trial,
    comparison,
    differences,
    judged,
    text_over_seeds,
    verdict,
)
from gameforge_kim_cho.experiments.evolved_players import (
    FIRST,
    FIRST_BEST,
    LADDER,
    MATERIAL,
    PAIRED,
    SHUFFLED,
    TD,
    bars,
    by_seed,
    controls,
    curve,
    curves,
    evolution,
    first_generation,
    generations,
    matches_table,
    pooled,
    strength,
    trained_by_td,
)

PRESET = "anaconda"
GENERATIONS = 840


@attrs.frozen(kw_only=True)
class Anaconda:
    """One evolution per seed; its champion plays its first generation, material players and a TD-trained player.

    * `games`: games of each match. * `td_games`: training games of the TD-trained opponent. * `step`: initial standard
    deviation of the mutations; 0.05 in the published evolution, according to secondary sources.
    """

    games: int = attrs.field(default=200, validator=PAIRED)
    td_games: int = attrs.field(default=2000, validator=attrs.validators.ge(20))
    step: float = attrs.field(default=0.05, validator=attrs.validators.gt(0))

    title = "Anaconda: a net that evolved without knowledge"
    source = "Chellapilla and Fogel 2001, by way of later papers: 840 generations, 126,000 games"
    seeds = 3
    least_scale = 0.003
    """Three generations."""
    after = {PRESET: (TD,)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return {TD: self.td_games / 60, PRESET: 2000.0}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolution depends on the scale."""
        whole = self.conditions[condition]
        return whole if condition == TD else whole * generations(GENERATIONS, scale) / GENERATIONS + self.games / 4

    def run(self, trial: Trial) -> Mapping[str, Any]:
        changes = {"learner": {"step": self.step}}
        pipeline = evolution(trial, PRESET, changes)
        if trial.condition == TD:
            run = trained_by_td(trial, pipeline.settings["game"], pipeline.settings["searcher"], self.td_games)
            return {"games": self.td_games, "clones": run.summary.get("clones")}
        run = trial.run(pipeline, PRESET)
        champion, first = run.player, first_generation(trial, PRESET, PRESET, changes)
        assert champion.weights is not None
        return {
            "games": run.summary["games"],
            "generations": len(run.sessions),
            "king": float(champion.weights[-1]),
            "curves": curves(run),
            "matches": strength(trial, champion, first, pipeline, PRESET, self.games),
            "controls": controls(trial, champion, first, pipeline, PRESET, self.games),
        }

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return anaconda_report([result.numbers for result in results if result.condition == PRESET], scale)


Trials = Sequence[Mapping[str, Any]]
GAMES = 126_000


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
