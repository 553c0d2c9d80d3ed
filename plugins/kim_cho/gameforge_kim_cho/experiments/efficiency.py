"""The experiment `evolved-or-trained`: strength by number of training games, with evolution and with TD learning."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge_kim_cho.experiments.efficiency_report import (
    LINEAR_EVOLVED,
    LINEAR_TD,
    SAME_NET,
    TD,
    efficiency_report,
)
from gameforge_kim_cho.experiments.strength import LADDER, PAIRED, material, played

PRESET = "anaconda"
GAMES_A_GENERATION = 150
GENERATIONS = (2, 8, 32, 128)
"""Generations at scale 1, for 300, 1,200, 4,800 and 19,200 games."""
ANACONDA, SEEING = "evolved, Anaconda's net", "evolved, with alphabeta"
DEEPER = "evolved, alphabeta and database"
CONDITIONS = {
    TD: 130.0,
    SAME_NET: 190.0,
    LINEAR_TD: 130.0,
    LINEAR_EVOLVED: 190.0,
    ANACONDA: 190.0,
    SEEING: 440.0,
    DEEPER: 440.0,
}
QUESTIONS = {
    "all": tuple(CONDITIONS),
    "darwen": (TD, SAME_NET, LINEAR_TD, LINEAR_EVOLVED),
    "neto": (TD, SAME_NET, ANACONDA, SEEING, DEEPER),
}
"""Conditions that answer the question of each paper."""
LINEAR = {"hidden": 0, "direct": True}
TD_SESSIONS = 10
SEARCHER = {"use": "minimax", "depth": 4}
SEEING_SEARCHER = {"use": "alphabeta", "depth": 4, "memory": 1, "selective": False, "convert": False}
"""Searchers: the one of all nets in training and play, and the one of the last two evolutions in training."""


@attrs.frozen(kw_only=True)
class EvolvedOrTrained:
    """Ways to learn from the same numbers of games; all nets then play with the same search, without knowledge.

    * `games`: games against each rung of the ladder. * `pieces`: pieces of the database of the last evolution.
    * `question`: "darwen" (evolution and TD learning of one net, linear and with hidden units), "neto" (evolution of
    Anaconda's net as well, but no linear nets), or "all".
    """

    games: int = attrs.field(default=100, validator=PAIRED)
    pieces: int = attrs.field(default=5, validator=[attrs.validators.ge(2), attrs.validators.le(6)])
    question: str = attrs.field(default="all", validator=attrs.validators.in_(tuple(QUESTIONS)))

    title = "Evolved or trained: strength by the number of training games"
    source = (
        "Neto and others 2009, section 4, ask which is more efficient; Darwen 2001 answers for backgammon, for "
        "linear nets and others"
    )
    seeds = 5
    least_scale = 0.02
    """Two numbers of games: those of one and of three generations."""

    @property
    def conditions(self) -> Mapping[str, float]:
        """Seconds of each condition that the question needs, at scale 1."""
        return {name: CONDITIONS[name] for name in QUESTIONS[self.question]}

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Points on the ladder of untrained nets, and after each number of games."""
        points = {0: self._ladder(trial, self._untrained(trial), "untrained")}
        for generations in GENERATIONS:
            shorter = max(1, round(generations * trial.scale))
            games = GAMES_A_GENERATION * shorter
            if games not in points:
                run = trial.run(self._pipeline(trial, shorter), f"{trial.condition}, {games} games")
                points[games] = self._ladder(trial, self._playing(trial, run.player), f"{games}")
        return {"points": [{"games": games, "ladder": ladder} for games, ladder in points.items()]}

    def _pipeline(self, trial: Trial, generations: int) -> Pipeline:
        """The pipeline of a training of this length. All use Anaconda's rules."""
        length = {"generations": generations}
        if trial.condition in (SEEING, DEEPER):
            oracles = [{"use": "chinook", "pieces": self.pieces}] if trial.condition == DEEPER else []
            return trial.pipeline(PRESET, {"searcher": SEEING_SEARCHER, "oracle": oracles, "learner": length})
        if trial.condition == ANACONDA:
            return trial.pipeline(PRESET, {"searcher": SEARCHER, "learner": length})
        settings = trial.pipeline(PRESET).settings
        learner: Mapping[str, Any] = {
            "sessions": TD_SESSIONS,
            "games": GAMES_A_GENERATION * generations // TD_SESSIONS,
            "result": "clone",
        }
        if trial.condition in (SAME_NET, LINEAR_EVOLVED):
            learner = {**settings["learner"], **length}
        net = LINEAR if trial.condition in (LINEAR_TD, LINEAR_EVOLVED) else {}
        changes = {"game": settings["game"], "searcher": SEARCHER, "evaluator": net, "learner": learner}
        return trial.pipeline("neurodraughts", changes)

    def _playing(self, trial: Trial, trained: Player) -> Player:
        """The trained net with the common search and without oracles."""
        if trial.condition not in (SEEING, DEEPER):
            return trained
        return Player(trial.pipeline(PRESET, {"searcher": SEARCHER}).parts(), trained.weights, trained.name)

    def _untrained(self, trial: Trial) -> Player:
        parts = self._pipeline(trial, 1).parts()
        player = Player(parts, parts.initial_weights(np.random.default_rng(trial.seed)), "untrained")
        return self._playing(trial, player)

    def _ladder(self, trial: Trial, player: Player, name: str) -> dict[str, dict[str, Any]]:
        pipeline = trial.pipeline(PRESET)
        rungs = {rung: material(pipeline, searcher, rung, trial.registry) for rung, searcher in LADDER.items()}
        return played(trial, player, f"{trial.condition}, {name}", rungs, self.games)

    def report(self, results: Sequence[Result], scale: float) -> Report:
        by = {name: [r.numbers for r in results if r.condition == name] for name in self.conditions}
        return efficiency_report(by, scale)
