"""The experiment `anaconda`: Chellapilla and Fogel's evolution, and the strength of its champion."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge_kim_cho.experiments.anaconda_report import anaconda_report
from gameforge_kim_cho.experiments.evolving import curves, evolution, first_generation, generations
from gameforge_kim_cho.experiments.strength import PAIRED, TD, controls, strength, trained_by_td

PRESET, GENERATIONS = "anaconda", 840


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
