"""What a study measures: each trained player against a fixed opponent, or against those of the other variants."""

import threading
from collections.abc import Mapping
from typing import Any

import attrs

from gameforge.config import Spec, kinds, normal, split_parts
from gameforge.config.settings import Json
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop
from gameforge.training.train import Pipeline
from gameforge.training.work import LocalSite
from gameforge.training.yardstick import MOST_GIVEN, Yardstick, opponent_of


@attrs.frozen(kw_only=True)
class FixedOpponent:
    """A yardstick: the same opponent for all trials of a game."""

    player: str = ""
    """The opponent: a player, or an evaluator, which gets the search of the study's pipeline, not that of a variant.
    Empty: the evaluator that the game names."""
    games: int = attrs.field(default=100, validator=[kinds.count(2, MOST_GIVEN), kinds.even])
    """Games of each match, played in pairs."""
    every: int | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.count(1, MOST_GIVEN)))
    """Sessions between two measurements; None: a twentieth of the training games goes into them, 10 at most."""


@attrs.frozen(kw_only=True)
class League:
    """A round robin of the trained players of each seed."""

    games: int = attrs.field(default=20, validator=[kinds.count(2, MOST_GIVEN), kinds.even])
    """Games of each match, played in pairs."""


class Opponents:
    """The opponents of the trials of a study, one for each game, made when they are first needed."""

    def __init__(self, base: Mapping[str, Json], chosen: FixedOpponent, registry: Registry) -> None:
        """base: the settings of the study's pipeline."""
        self._base, self._chosen, self._registry = base, chosen, registry
        self._making = threading.Lock()
        self._made: dict[str, Player] = {}

    def yardstick(self, pipeline: Pipeline) -> Yardstick:
        """Return the yardstick of a trial with this pipeline.

        Raises GameforgeError if the opponent cannot be made, or if none is named, neither by the study nor by the game.
        """
        game: Any = pipeline.settings["game"]
        with self._making:
            if str(game) not in self._made:
                self._made[str(game)] = self._opponent(pipeline)
            one = self._made[str(game)]
        opponent = Player(one.parts, one.weights, one.name, one.spec)  # each thread needs one of its own
        return Yardstick(opponent=opponent, games=self._chosen.games, every=self._chosen.every)

    def _opponent(self, pipeline: Pipeline) -> Player:
        text, game = self._chosen.player, pipeline.game
        parts = split_parts(text)
        is_evaluator = len(parts) == 1 and self._registry.has("evaluator", text.partition(":")[0], game.rules.name)
        if text and not is_evaluator:
            try:
                return Workshop(self._registry).player(text, game)
            except GameforgeError as error:
                raise GameforgeError(f"yardstick: {error}") from error
        settings = normal(self._base, {"game": pipeline.settings["game"], "learner": "none"})
        base = Pipeline.from_settings(settings, self._registry)
        assert pipeline.learner is not None, "variants have learners"
        yardstick = Yardstick(evaluator=Spec.parse(text) if text else None)
        opponent = opponent_of(yardstick, LocalSite(base, base.parts()), pipeline.learner)
        if opponent is None:
            raise GameforgeError(f"yardstick: {game.rules.name} names no evaluator; name a player as yardstick.player")
        name = f"{opponent.spec['evaluator']['use']} with the search of the study"
        return Player(opponent.parts, opponent.weights, name, opponent.spec)
