"""The experiment `kim-cho-othello`: piece counters that evolve against the standard table, with and without a book."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge import GameSeries, Pipeline, Player, player, repeats_text
from gameforge.experiments import (
    Compared,
    Mark,
    Report,
    Result,
    Trial,
    comparison,
    differences,
    judged,
    judged_same,
    mean_over_seeds,
    number,
    table,
    verdict,
)
from gameforge.kernel import stream
from gameforge_kim_cho.experiments.evolved_players import (
    FIRST_BEST,
    LADDER,
    PAIRED,
    SHUFFLED,
    TD,
    bars,
    by_seed,
    curve,
    evolution,
    first_generation,
    generations,
    matches_table,
    played,
    shuffled,
)

PLAIN, BOOK = "without a book", "with the book"
STANDARD = "standard table"
WHOLE = 100
"""Published generations."""
EVEN = 500
"""Points in 1,000 games between equal players."""
SAME_WITHIN = 20
"""Points in 1,000 games within which a difference must lie, with its interval, for two means to be called the same."""

Trials = Sequence[Mapping[str, Any]]

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

    fresh: int = attrs.field(default=10_000, validator=PAIRED)
    games: int = attrs.field(default=200, validator=PAIRED)
    td_games: int = attrs.field(default=2000, validator=attrs.validators.ge(20))

    title = "Evolved piece counters for Othello, with and without an opening book"
    source = "Kim and Cho 2007, section 4.2: about 540 of 1,000 against the standard table, about 200 at first"
    seeds = 10
    least_scale = 0.02
    """Two generations."""
    after = dict.fromkeys(PRESETS, (TD,))
    conditions = {TD: 40.0, PLAIN: 200.0, BOOK: 260.0}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolutions depend on the scale."""
        whole = self.conditions[condition]
        return whole if condition == TD else whole * generations(GENERATIONS, scale) / GENERATIONS + self.games / 20

    def run(self, trial: Trial) -> Mapping[str, Any]:
        if trial.condition == TD:
            return self._td(trial)
        preset = PRESETS[trial.condition]
        pipeline = evolution(trial, preset)
        run = trial.run(pipeline, trial.condition)
        champion, first = run.player, first_generation(trial, trial.condition, preset).player
        standard = self.standard(trial, pipeline)
        measured = {
            "champion": champion,
            FIRST_BEST: first,
            SHUFFLED: shuffled(champion, trial.seed),
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

    def _td(self, trial: Trial) -> Mapping[str, Any]:
        """The game's own TD pipeline, which looks as far ahead as the piece counters do."""
        searcher = trial.pipeline(PRESETS[PLAIN]).settings["searcher"]
        learner = {"sessions": 10, "games": max(2, self.td_games // 10)}
        run = trial.run(trial.pipeline("othello", {"searcher": searcher, "learner": learner, "oracle": "none"}), TD)
        return {"games": self.td_games, "clones": run.summary.get("clones")}

    def _ladder(self, trial: Trial, players: Mapping[str, Player], pipeline: Pipeline) -> dict[str, Any]:
        rungs = self._rungs(trial, pipeline)
        return {
            name: played(trial, one, f"{trial.condition}, {name}", rungs, self.games, RANDOM_PLIES)
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

    def _rungs(self, trial: Trial, pipeline: Pipeline) -> dict[str, Player]:
        game = pipeline.settings["game"]
        rungs = {
            name: player(game, searcher=searcher, evaluator="material", name=name, registry=trial.registry)
            for name, searcher in LADDER.items()
        }
        return {STANDARD: self.standard(trial, pipeline), **rungs, TD: trial.player(TD)}

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
        repeats = repeats_text((name, STANDARD), found.distinct, self.fresh)
        if repeats:
            trial.notice(f"new games: {repeats}")
        return float(np.mean(found.winners == 0) + np.mean(found.winners == -1) / 2) * 1000, found.distinct

    def report(self, results: Sequence[Result], scale: float) -> Report:
        by = {name: [r.numbers for r in results if r.condition == name] for name in PRESETS}
        return othello_report(by, self.fresh, scale)


def othello_report(by: Mapping[str, Trials], fresh: int, scale: float) -> Report:
    trials = by[PLAIN]
    rows = _rows(by)
    parts = [
        f"{len(trials)} evolution{'s' if len(trials) > 1 else ''} of {trials[0]['generations']} generations with and "
        "without the book; the published ones have 100. Fitness: points of 1,000 games against the standard table, "
        "where both sides draw 10 % of their moves at random.\n",
        comparison(rows, scale),
        f"The best fitness of a generation is that of the luckiest of 50. The same players in {number(fresh)} new "
        "games, which did not serve for selection (points in 1,000 games):\n",
        _fresh_table(by),
        _distinct(by, fresh),
        *(_ladder_text(name, found) for name, found in by.items()),
    ]
    return Report(
        text="\n".join(filter(None, parts)),
        numbers={"rows": [attrs.asdict(row) for row in rows], "fresh": {name: _fresh(t) for name, t in by.items()}},
        figures={"fitness": lambda figure: _fitness(figure, by), "ladder": lambda figure: _ladder(figure, by)},
    )


def _rows(by: Mapping[str, Trials]) -> list[Compared]:
    """The published figures are those of the evolution with opening knowledge ([KimCho2007], section 4.2)."""
    first, last, first_mean, last_mean = (
        {name: [trial[figure][i] for trial in trials] for name, trials in by.items()}
        for figure in ("best", "mean")
        for i in (0, -1)
    )
    gained, _ = differences(last_mean[BOOK], first_mean[BOOK])
    best = {name: [max(trial["best"]) for trial in trials] for name, trials in by.items()}
    means = {name: [trial["mean"][-1] for trial in trials] for name, trials in by.items()}
    fresh = {name: _fresh(trials)["champion"] for name, trials in by.items()}
    return [
        Compared(
            what="with the book: best of the first generation, higher than its mean",
            published="400; mean about 200",
            ours=f"{_points(first[BOOK])}; mean {_points(first_mean[BOOK])}",
            mark=Mark.NOT_INFORMATIVE,  # the best of several is never below their mean
        ),
        judged(
            "with the book: highest fitness, higher than the standard table",
            "about 540",
            _points(best[BOOK]),
            verdict([points - EVEN for points in best[BOOK]]),
        ),
        judged(
            "with the book: mean of the last generation, higher than the first one's",
            "converges to 500",
            _points(last_mean[BOOK]),
            verdict(gained),
        ),
        Compared(
            what="without a book: best of the first generation, of the last, and the means of both",
            published="mean of the first about 200",
            ours="; ".join(_points(points[PLAIN]) for points in (first, last, first_mean, last_mean)),
            mark=Mark.NOT_INFORMATIVE,
        ),
        _book("highest fitness, with the book higher than without", "higher", best, 1),
        _book("mean of the last generation, the same with and without the book", "the same", means, 0),
        Compared(
            what="champion against the standard table in new games, without and with the book",
            ours=_both(fresh),
            mark=Mark.UNAVAILABLE,
        ),
        Compared(
            what="place in the CEC 2006 competition",
            published="about 12th, by the fitness",
            ours="its table is not available",
            mark=Mark.UNAVAILABLE,
        ),
    ]


def _book(what: str, published: str, points: Mapping[str, Sequence[float]], ahead: int) -> Compared:
    """Judge what the book changes, seed by seed: higher points (ahead 1), or the same points (0)."""
    found, _ = differences(points[BOOK], points[PLAIN])
    if not ahead:
        return judged_same(what, published, _both(points), found, SAME_WITHIN)
    return judged(what, published, _both(points), verdict(found))


def _both(points: Mapping[str, Sequence[float]]) -> str:
    """Points without the book and with it, and the mean of their differences seed by seed."""
    found, _ = differences(points[BOOK], points[PLAIN])
    return f"{_points(points[PLAIN])}; {_points(points[BOOK])}; difference {mean_over_seeds(found)}"


def _points(values: Sequence[float]) -> str:
    """Points in 1,000 games, with their interval over seeds."""
    return mean_over_seeds(values, within=(0, 2 * EVEN))


def _fresh(trials: Trials) -> dict[str, list[float]]:
    return {name: [trial["fresh"][name] for trial in trials] for name in trials[0]["fresh"]}


def _fresh_table(by: Mapping[str, Trials]) -> str:
    fresh = {name: _fresh(trials) for name, trials in by.items()}
    names = list(fresh[PLAIN])
    return table(("", *by), [(name, *(_points(found[name]) for found in fresh.values())) for name in names])


def _distinct(by: Mapping[str, Trials], fresh: int) -> str:
    """How many of the new games are distinct; empty for trials that did not count them."""
    counts = [n for trials in by.values() for trial in trials for n in trial.get("distinct", {}).values()]
    if not counts:
        return ""
    return f"Of the {number(fresh)} games of a player and seed, {number(min(counts))} or more are distinct.\n"


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
    groups = {f"champion {name}": by_seed(trials, "ladder", "champion") for name, trials in by.items()}
    groups |= {who: by_seed(by[PLAIN], "ladder", who) for who in (FIRST_BEST, SHUFFLED, STANDARD)}
    bars(figure.subplots(), [STANDARD, *LADDER, TD], groups)
