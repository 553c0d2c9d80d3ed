"""The experiment `training-regimes`: feature maps, regimes and look-ahead of [Lynch1997], sections 3.3 and 6."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from gameforge.api import player
from gameforge.experiments.tally import Tally
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge_neurodraughts.experiments.regimes_report import (
    BINARY,
    BLOCK,
    CLONING,
    DIRECT,
    FEATURES,
    LOOK_AHEAD,
    MODULES,
    NONE,
    STRAIGHT,
    Setting,
    regimes_report,
)

PRESET = "neurodraughts"
GAMES = 1000
"""Training games at scale 1, those of the preset."""
MAPS: Mapping[str, Mapping[str, Any]] = {
    FEATURES: {},
    BINARY: {"evaluator": {"features": {"use": "binarymap"}}},
    DIRECT: {"evaluator": {"features": {"use": "directmap"}}},
    MODULES: {
        "evaluator": {
            "use": "modular-mlp",
            "bounds": [9, 17],
            "hidden": 12,
            "direct": True,
            "features": {"use": "netfeaturemap", "set": "neurodraughts"},
        }
    },
}
"""The modules are nets like the preset's, for up to 8, up to 16, and more pieces. The thesis chose its three modules
by the balance of pieces."""
BETWEEN_CLONES = {STRAIGHT: 10, BLOCK: 50, CLONING: 10}
"""Training games of a session by regime: the thesis takes 50 for a block, and 10 before each test."""
DEPTHS = {NONE: 1, LOOK_AHEAD: 3}
SEARCHER = "minimax:depth=3"
"""How all trained nets play, whatever they were trained with."""
OPPONENTS = (1, 3)
"""Depths of the opponents, which count material."""
OPENINGS, MATCH_GAMES = "2move", 98
_SECONDS = 1.5


@attrs.frozen(kw_only=True)
class TrainingRegimes:
    """Trains every combination of a feature map, a regime and a look-ahead; all play the same opponents."""

    title = "Feature maps, training regimes and look-ahead of NeuroDraughts"
    source = "Lynch 1997, sections 3.3 and 6: features are necessary, cloning after tests and with look-ahead is best"
    seeds = 10
    least_scale = 0.1
    """Two blocks of games."""

    result: Literal["net", "clone"] = attrs.field(default="net", validator=attrs.validators.in_(("net", "clone")))
    """Which net of a training plays: the last one, or the last clone, which [Lynch1997] compares. Straight play has no
    clones, so its last net always plays."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The combinations by condition."""
        combinations = itertools.product(MAPS, BETWEEN_CLONES, DEPTHS)
        found = [Setting(map=one, regime=regime, ahead=ahead) for one, regime, ahead in combinations]
        return {setting.name: setting for setting in found}

    @property
    def conditions(self) -> Mapping[str, float]:
        return dict.fromkeys(self.settings, _SECONDS)

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Train, and play 98 games against each opponent with the last net or clone."""
        setting = self.settings[trial.condition]
        games = BETWEEN_CLONES[setting.regime]
        learner = {
            "regime": setting.regime,
            "games": games,
            "sessions": max(1, trial.scaled(GAMES) // games),
            "result": "net" if setting.regime == STRAIGHT else self.result,
        }
        searcher = {"depth": DEPTHS[setting.ahead]}
        pipeline = trial.pipeline(PRESET, MAPS[setting.map], {"learner": learner, "searcher": searcher})
        training = trial.train(pipeline)
        assert training.trained.weights is not None
        playing = trial.pipeline(PRESET, MAPS[setting.map], {"searcher": SEARCHER})
        trained = attrs.evolve(training, pipeline=playing, parts=playing.parts())
        matches = [
            trial.match(
                trained.player(training.trained.weights, "trained"),
                player(
                    playing.game,
                    searcher=f"minimax:depth={depth}",
                    evaluator="material",
                    oracle="none",
                    registry=trial.registry,
                ),
                MATCH_GAMES,
                f"{trial.condition}, {depth}",
                openings=OPENINGS,
            )
            for depth in OPPONENTS
        ]
        return {
            "games": games * len(training.sessions),
            "clones": sum(bool(session.get("cloned")) for session in training.sessions),
            "matches": [Tally.of(match).numbers for match in matches],
        }

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return regimes_report(self.settings, results, clones=self.result == "clone", scale=scale)
