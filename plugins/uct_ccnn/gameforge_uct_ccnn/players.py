"""The players of the experiment's matches: the nets' players and their opponents."""

from collections.abc import Mapping
from typing import Any

from gameforge.api import game as find_game
from gameforge.api import player as make_player
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.experiments.trial import Trial
from gameforge.play.player import Player
from gameforge_uct_ccnn.settings import UctCcnnSettings

PLAIN: Mapping[str, Any] = {
    "use": "alphabeta",
    "memory": 1,
    "quiescence": False,
    "ties": "random",
    "selective": False,
}
"""Alpha-beta as in the paper: no quiescence, ties broken at random."""
OPPONENT_DEPTH = 3


def neural(trial: Trial, name: str, height: int) -> Player:
    """NeuralMinimax with the net of this name."""
    return with_searcher(trial, trial.player(f"{name}-net"), {**PLAIN, "depth": height}, f"{name} net, {height} plies")


def with_searcher(trial: Trial, player: Player, settings: Mapping[str, Any], name: str) -> Player:
    """The same net with another searcher."""
    parameters = {key: value for key, value in settings.items() if key != "use"}
    searcher = trial.registry.create("searcher", Spec(settings["use"], parameters), player.game.rules.name)
    spec = {**player.spec, "searcher": dict(settings)}
    return Player(player.parts.with_searcher(searcher), player.weights, name, spec)


def opponents_evaluator(settings: UctCcnnSettings, trial: Trial) -> str:
    """The opponent's evaluator; "" if none is named, neither by the settings nor by the game as its yardstick."""
    return settings.setting.opponent or find_game(settings.game, registry=trial.registry).defaults.yardstick


def opponent(settings: UctCcnnSettings, trial: Trial) -> Player:
    """Alpha-beta with the opponent's evaluator, or `uct` if there is none.

    Raises GameforgeError if the evaluator is unknown, or needs more than its name.
    """
    evaluator = opponents_evaluator(settings, trial)
    searcher = {**PLAIN, "depth": OPPONENT_DEPTH}
    name = f"{evaluator}, {OPPONENT_DEPTH} plies"
    if not evaluator:
        searcher = {"use": "uct", "simulations": settings.match_simulations}
        name = f"uct, {settings.match_simulations} simulations"
    try:
        return make_player(
            settings.game,
            searcher=searcher,
            evaluator=evaluator or "none",
            oracle="none",
            registry=trial.registry,
            name=name,
        )
    except GameforgeError as error:
        if not error.advice:
            raise
        raise GameforgeError(f"{error.message}; name another one, as in uct-ccnn:opponent=EVALUATOR") from error
