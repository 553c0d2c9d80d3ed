"""New players: from components, with those that are not named from the game's preset."""

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.choices import EvaluatorChoice, FeaturesChoice, OraclesChoice, RulesChoice, SearcherChoice
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE
from gameforge.play.player import Player
from gameforge.play.saved_players import player_spec
from gameforge.plugins.registry import Registry


def new_player(
    game: RulesChoice,
    registry: Registry,
    *,
    searcher: SearcherChoice | None = None,
    evaluator: EvaluatorChoice | None = None,
    features: FeaturesChoice | None = None,
    oracle: OraclesChoice = NONE,
    seed: int = 0,
    name: str = "player",
    announce: Announce = silent,
    workers: int = 1,
) -> Player:
    """Make a player of a game; components that are None come from the game's preset.

    seed: for the initial weights of an evaluator that has weights. announce, workers: as for OracleHandle.
    Raises GameforgeError for an unknown component, and if the searcher needs an evaluator but only the preset names
    one, which is not trained.
    """
    import numpy as np

    chosen = Pipeline(
        game=game,
        searcher=searcher,
        evaluator=evaluator,
        features=features,
        oracle=oracle,
        learner=NONE,
        registry=registry,
    )
    parts = chosen.parts(announce, workers)
    if evaluator is None and parts.search.needs_evaluator and parts.vector is not None:
        raise GameforgeError(
            f"player: with these settings, {chosen.settings['searcher']['use']} needs an evaluator; the one of the "
            f"preset, {chosen.settings['evaluator']['use']}, is untrained",
            advice="give the folder of a trained player, or name an evaluator",
            parameter="evaluator",
        )
    weights = None if parts.vector is None else parts.initial_weights(np.random.default_rng(seed))
    return Player(parts, weights, name, player_spec(chosen.settings))
