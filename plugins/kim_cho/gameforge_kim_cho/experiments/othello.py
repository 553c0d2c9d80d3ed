"""The experiment `kim-cho-othello`: piece counters that evolve against the standard table, with and without a book."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.api import player
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge.kernel.seeds import stream
from gameforge.play.arena.result import repeats_text
from gameforge.play.arena.series import GameSeries
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge_kim_cho.experiments.evolving import evolution, first_generation, generations
from gameforge_kim_cho.experiments.othello_report import BOOK, PLAIN, STANDARD, othello_report
from gameforge_kim_cho.experiments.strength import FIRST_BEST, LADDER, PAIRED, SHUFFLED, TD, played, shuffled

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
