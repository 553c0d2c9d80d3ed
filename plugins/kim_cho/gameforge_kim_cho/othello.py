"""The experiment `kim-cho-othello`: piece counters that evolve against the standard table, with and without a book."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import attrs
import numpy as np

from gameforge import GameSeries, Pipeline, Player, player
from gameforge.experiments import Claim, Numbers, Report, Sample, Trial, Verdict, number
from gameforge.interfaces import kinds
from gameforge.kernel import stream
from gameforge_kim_cho import evolved_players as evolved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAIN, BOOK = "without a book", "with the book"
STANDARD = "standard table"
WHOLE = 100
"""Published generations."""
EVEN = 500
"""Points in 1,000 games between equal players."""
FIRST_BEST = 400
"""Published fitness of the best individual of the first generation."""
LATE = 20
"""Number of last generations whose mean the paper's figure 9 shows."""
SAME_WITHIN = 20
"""Points in 1,000 games within which a difference must lie, with its interval, for two means to be called the same."""

PRESETS = {PLAIN: "kim-cho-othello", BOOK: "kim-cho-othello-book"}
GENERATIONS = 100
RANDOM_PLIES = 6
"""Before the games of the ladder, where no other move is random."""
_FRESH = 7_001
"""Purpose of the random numbers of the games that measure a champion again."""


@attrs.frozen(kw_only=True)
class KimChoOthello:
    """Evolutions of piece counters; the champion's fitness is the luckiest of thousands, so it is measured again.

    * `fresh`: games that measure a champion again. * `games`: games of each match of the ladder. * `td_games`: training
    games of the TD-trained opponent.
    """

    fresh: int = attrs.field(default=10_000, validator=evolved.PAIRED)
    games: int = attrs.field(default=200, validator=evolved.PAIRED)
    td_games: int = attrs.field(default=2000, validator=kinds.at_least(20))

    title = "Evolved piece counters for Othello, with and without an opening book"
    source = "Kim and Cho 2007, section 4.2: about 540 of 1,000 against the standard table, about 200 at first"
    seeds = 10
    least_scale = 0.02
    """Two generations."""
    after = dict.fromkeys(PRESETS, (evolved.TD,))
    conditions = {evolved.TD: 40.0, PLAIN: 200.0, BOOK: 260.0}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolutions depend on the scale."""
        whole = self.conditions[condition]
        return whole if condition == evolved.TD else evolved.seconds(whole, GENERATIONS, scale, self.games / 20)

    def run(self, trial: Trial) -> Numbers:
        if trial.condition == evolved.TD:
            return self._td(trial)
        preset = PRESETS[trial.condition]
        pipeline = evolved.evolution(trial, preset)
        run = trial.run(pipeline, trial.condition)
        champion, (first, _) = run.player, evolved.first_generation(trial, trial.condition, preset)
        standard = self.standard(trial, pipeline)
        measured = {
            "champion": champion,
            evolved.FIRST_BEST: first,
            evolved.SHUFFLED: evolved.shuffled(champion, trial.seed),
            STANDARD: standard,
        }
        fresh = {name: self.measured_again(trial, name, one, standard, pipeline) for name, one in measured.items()}
        return {
            "generations": len(run.sessions),
            "games": pipeline.settings["learner"]["games"],
            "best": [float(session["fitness"]) for session in run.sessions],
            "mean": [float(session["mean_fitness"]) for session in run.sessions],
            "fresh": {name: points for name, (points, _) in fresh.items()},
            "distinct": {name: distinct for name, (_, distinct) in fresh.items()},
            "ladder": self._ladder(trial, measured, pipeline),
        }

    def _td(self, trial: Trial) -> Numbers:
        """The game's own TD pipeline, which looks as far ahead as the piece counters do."""
        searcher = trial.pipeline(PRESETS[PLAIN]).settings["searcher"]
        learner = {"sessions": evolved.TD_SESSIONS, "games": max(2, self.td_games // evolved.TD_SESSIONS)}
        run = trial.run(
            trial.pipeline("othello", {"searcher": searcher, "learner": learner, "oracle": "none"}), evolved.TD
        )
        return {"games": self.td_games, "clones": run.summary.get("clones")}

    def _ladder(self, trial: Trial, players: Mapping[str, Player], pipeline: Pipeline) -> dict[str, Numbers]:
        steps = {
            STANDARD: self.standard(trial, pipeline),
            **evolved.rungs(trial, pipeline),
            evolved.TD: trial.player(evolved.TD),
        }
        return {
            name: evolved.played(trial, one, f"{trial.condition}, {name}", steps, self.games, RANDOM_PLIES)
            for name, one in players.items()
        }

    def standard(self, trial: Trial, pipeline: Pipeline) -> Player:
        """The standard table, with the search of the piece counters."""
        settings = pipeline.settings
        return player(
            settings["game"],
            searcher=settings["searcher"],
            evaluator=settings["learner"]["opponent"],
            name=STANDARD,
            registry=trial.registry,
        )

    def measured_again(
        self, trial: Trial, name: str, one: Player, standard: Player, pipeline: Pipeline
    ) -> tuple[float, int]:
        """Measure a player in games that were not used for selection.

        Returns (points per 1,000 games, as in the fitness; number of distinct games). Notifies the user if fewer than
        half of the games are distinct.
        """
        series = GameSeries(one, standard, pipeline.settings["learner"]["random_moves"])
        seed = np.random.SeedSequence([_FRESH, trial.seed])
        found = series.play([i % 2 == 1 for i in range(self.fresh)], stream(seed), check=trial.check)
        repeats = found.repeats_text((name, STANDARD))
        if repeats:
            trial.notice(f"new games: {repeats}")
        return float(np.mean(found.winners == 0) + np.mean(found.winners == -1) / 2) * 1000, found.distinct

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        by = {name: results[name] for name in PRESETS}
        trials, fresh = by[PLAIN], {name: _fresh(trials) for name, trials in by.items()}
        return Report.of(
            f"{evolved.evolutions(len(trials))} of {trials[0]['generations']} generations with and without the book; "
            "the published ones have 100. Fitness: points of 1,000 games against the standard table, where both sides "
            "draw 10 % of their moves at random.\n",
            claims(by),
            f"The best fitness of a generation is that of the luckiest of 50. The same players in {number(self.fresh)} "
            "new games, which did not serve for selection (points in 1,000 games):\n",
            [{"": who, **{name: found[who] for name, found in fresh.items()}} for who in fresh[PLAIN]],
            _distinct(by, self.fresh),
            *(part for name, found in by.items() for part in _ladder_parts(name, found)),
            scale=scale,
            numbers={"fresh": {name: {who: list(one) for who, one in found.items()} for name, found in fresh.items()}},
            figures={"fitness": lambda figure: _fitness(figure, by), "ladder": lambda figure: _ladder(figure, by)},
        )


def claims(by: Mapping[str, evolved.Trials]) -> list[Claim]:
    """The published figures are those of the evolution with opening knowledge ([KimCho2007], section 4.2)."""

    def points(figure: str, generation: int) -> dict[str, Sample]:
        return {name: _points(trial[figure][generation] for trial in trials) for name, trials in by.items()}

    first, last, first_mean, last_mean = points("best", 0), points("best", -1), points("mean", 0), points("mean", -1)
    best = {name: _points(max(trial["best"]) for trial in trials) for name, trials in by.items()}
    fresh = {name: _fresh(trials)["champion"] for name, trials in by.items()}
    plain = (first[PLAIN], last[PLAIN], first_mean[PLAIN], last_mean[PLAIN])
    ours, gain = best[BOOK], best[BOOK] - best[PLAIN]
    return [
        Claim(
            "with the book: best of the first generation, higher than its mean",
            "400; mean about 200",
            f"{first[BOOK]}; mean {first_mean[BOOK]}",
            Verdict.NOT_INFORMATIVE,  # the best of several is never below their mean
        ),
        Claim(
            "with the book: best of the first generation, where one more evolution would be expected",
            f"{FIRST_BEST}",
            *_one_more(first[BOOK], FIRST_BEST),
        ),
        Claim("with the book: highest fitness, higher than the standard table", "about 540", ours, ours.above(EVEN)),
        Claim(
            f"with the book: best fitness, mean of the last {LATE} generations, where one more would be expected",
            "converges to 500",
            *_one_more(_points(fmean(trial["best"][-LATE:]) for trial in by[BOOK]), EVEN),
        ),
        Claim(
            "with the book: mean fitness of the last generation, where one more would be expected",
            "converges to 500",
            *_one_more(last_mean[BOOK], EVEN),
        ),
        Claim(
            "without a book: best of the first generation, of the last, and the means of both",
            "mean of the first about 200",
            "; ".join(map(str, plain)),
            Verdict.NOT_INFORMATIVE,
        ),
        Claim("highest fitness, with the book higher than without", "higher", _both(best), gain.above()),
        Claim(
            "mean of the last generation, the same with and without the book",
            "the same",
            _both(last_mean),
            (last_mean[BOOK] - last_mean[PLAIN]).near(0, SAME_WITHIN),
        ),
        Claim("champion against the standard table in new games, without and with the book", "", _both(fresh)),
        Claim("place in the CEC 2006 competition", "about 12th, by the fitness", "its table is not available"),
    ]


def _one_more(points: Sample, published: float) -> tuple[str, Verdict]:
    """Points with the interval in which one more evolution is expected, and whether it holds the published value."""
    if not points.enough:
        return str(points), Verdict.DESCRIPTIVE
    low, high = points.prediction
    verdict = Verdict.HOLDS if low <= published <= high else Verdict.FAILS
    return f"{points}; one more: {points.between(low, high)}", verdict


def _both(points: Mapping[str, Sample]) -> str:
    """Points without the book and with it, and the mean of their differences seed by seed."""
    return f"{points[PLAIN]}; {points[BOOK]}; difference {points[BOOK] - points[PLAIN]}"


def _points(values: Iterable[float]) -> Sample:
    """Points in 1,000 games."""
    return Sample(values, (0, 2 * EVEN))


def _fresh(trials: evolved.Trials) -> dict[str, Sample]:
    return {name: _points(trial["fresh"][name] for trial in trials) for name in trials[0]["fresh"]}


def _distinct(by: Mapping[str, evolved.Trials], fresh: int) -> str:
    """How many of the new games are distinct; empty for trials that did not count them."""
    counts = [n for trials in by.values() for trial in trials for n in trial.get("distinct", {}).values()]
    if not counts:
        return ""
    return f"Of the {number(fresh)} games of a player and seed, {number(min(counts))} or more are distinct.\n"


def _ladder_parts(name: str, trials: evolved.Trials) -> Iterator[str | list[Mapping[str, object]]]:
    yield from (f"## The ladder, {name}\n", "Random moves only in the first six plies.\n")
    for who in trials[0]["ladder"]:
        yield from (f"{who}:\n", evolved.match_rows(trials, "ladder", who))


def _fitness(figure: "Figure", by: Mapping[str, evolved.Trials]) -> None:
    axes = figure.subplots()
    for name, trials in by.items():
        evolved.curve(axes, [trial["best"] for trial in trials], f"best, {name}")
        evolved.curve(axes, [trial["mean"] for trial in trials], f"mean, {name}")
    axes.axhline(EVEN, color="gray", linewidth=0.8)
    published = {1: (400, 200), WHOLE: (540,)}
    shown = [(x, y) for x, ys in published.items() for y in ys if x <= len(by[PLAIN][0]["best"])]
    axes.plot(*zip(*shown, strict=True), "D", color="black", markersize=5, label="published, about")
    axes.set(xlabel="generation", ylabel="points of 1,000 games", ylim=(0, 700))
    axes.legend(fontsize=8)


def _ladder(figure: "Figure", by: Mapping[str, evolved.Trials]) -> None:
    groups = {f"champion {name}": evolved.by_seed(trials, "ladder", "champion") for name, trials in by.items()}
    groups |= {
        who: evolved.by_seed(by[PLAIN], "ladder", who) for who in (evolved.FIRST_BEST, evolved.SHUFFLED, STANDARD)
    }
    evolved.bars(figure.subplots(), [STANDARD, *evolved.LADDER, evolved.TD], groups)
