"""Whom play and analyze ask: the player, the oracles; and scores as a person reads them."""

from collections.abc import Sequence
from typing import Any

import attrs

from gameforge.cli.shared.players import player_from_text
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN, WON
from gameforge.interfaces.oracle import Announce
from gameforge.play.game import Game
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry


def player_for(text: str | None, name: str | None, game: Game, registry: Registry, announce: Announce) -> Player:
    """The player that `text` names, or else the one that the game names for persons.

    `name` is the game as --game has it. Raises GameforgeError for a player of another game, and if
    none is named at all.
    """
    text = text or game.defaults.player
    if not text:
        raise GameforgeError(f"{game.rules.name} names no player to meet; give one, as 'SEARCHER + EVALUATOR'")
    return player_from_text(text, name or game.rules.name, registry, announce)


def lookups_for(given: Sequence[str], player: Player, registry: Registry, announce: Announce) -> list[OracleHandle]:
    """The oracles to ask for verdicts: those given, else the player's, else those of the game's preset.

    None is opened before it is asked. `none` as the only one given means none at all.
    """
    asked = "none" if list(given) == ["none"] else list(given) or player.spec.get("oracle") or None
    pipeline = Pipeline(
        game=player.game, searcher="none", evaluator="none", learner="none", oracle=asked, registry=registry
    )
    return [
        OracleHandle(oracle.component, _brief(oracle.spec, oracle.component), announce, registry=registry)
        for oracle in pipeline.oracles
    ]


def _brief(spec: Spec, component: object) -> Spec:
    """Without the parameters that have their defaults: what a person would write."""
    cls: Any = type(component)
    fields = attrs.fields_dict(cls) if attrs.has(cls) else {}
    told = {key: value for key, value in spec.params.items() if key not in fields or fields[key].default != value}
    return Spec(spec.use, told)


def score_text(score: float) -> str:
    """A score in words: `+0.12`, or what is won or lost and in how many plies, where the score tells."""
    size, result = abs(score), "win" if score > 0 else "loss"
    if size < WON:
        return f"{round(score, 3) + 0.0:+.3f}"
    plies = round((PROVEN_WIN - size) / PLY) if size > ORACLE_WIN else 0
    return f"{result} in {plies} {'ply' if plies == 1 else 'plies'}" if plies else result
