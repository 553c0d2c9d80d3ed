"""The player and the oracles that `play` and `analyze` consult."""

from collections.abc import Sequence
from typing import Any

import attrs

from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.described_players import excludes_oracles, levels_of, player_from_text
from gameforge.play.game import Game
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry

ORACLE_HELP = (
    "Oracle that the player consults and that gives exact values; may be repeated. none: no oracle. A player whose "
    "text names oracles, or one of its levels, keeps its own. Default: those of the player or the game; none if the "
    "player has the part `none`."
)


LEVEL_HELP = "Level of the player, from 1, the weakest. Default: its full strength."


def player_for(
    text: str | None,
    name: str | None,
    game: Game,
    registry: Registry,
    announce: Announce,
    level: int | None = None,
    oracles: Sequence[str] = (),
) -> Player:
    """Make the player that `text` describes; if it is None, the game's default player.

    name: the game as given with --game. level: one of its levels. oracles: replace those of the player at its full
    strength, unless its text names its own. Raises GameforgeError for a player of another game, and if the game has no
    default player.
    """
    return player_from_text(
        _text(text, game, registry), name or game.rules.name, registry, announce, level=level, oracles=oracles
    )


def levels_for(text: str | None, name: str | None, game: Game, registry: Registry) -> int:
    """Return how many levels the player has that `player_for` makes of the same text; 0 if the text names one."""
    return levels_of(_text(text, game, registry), name or game.rules.name, registry)


def _text(text: str | None, game: Game, registry: Registry) -> str:
    found = registry.defaults(game.rules).player if text is None else text
    if not found and text is None:
        raise GameforgeError(f"{game.rules.name} has no default player; give one, such as 'SEARCHER + EVALUATOR'")
    return found


def oracles_for(
    given: Sequence[str], player: Player, text: str | None, registry: Registry, announce: Announce
) -> list[OracleHandle]:
    """Return the oracles for verdicts: the given ones, else the player's, else those of the game's preset.

    text: describes the player, as for `player_for`. If `none` is the only one given, or if none are given and the text
    excludes oracles, there are none. Oracles are opened on the first probe.
    """
    without = excludes_oracles(_text(text, player.game, registry), player.game, registry)
    own = NONE if without else player.spec.get("oracle") or None
    chosen = NONE if list(given) == [NONE] else list(given) or own
    pipeline = Pipeline(game=player.game, searcher=NONE, evaluator=NONE, learner=NONE, oracle=chosen, registry=registry)
    return [
        OracleHandle(oracle.component, _brief(oracle.spec, oracle.component), announce, registry=registry)
        for oracle in pipeline.oracles
    ]


def _brief(spec: Spec, component: object) -> Spec:
    """Drop the parameters that have their default values."""
    cls: Any = type(component)
    fields = attrs.fields_dict(cls) if attrs.has(cls) else {}
    params = {key: value for key, value in spec.params.items() if key not in fields or fields[key].default != value}
    return Spec(spec.use, params)
