"""Trained players that plugins bring: components of the kind `player`, each a folder like that of a saved player."""

from collections.abc import Mapping
from pathlib import Path

import attrs

from gameforge.config import Spec, parse_spec, spec_from_settings, structure
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.choices import OraclesChoice, RulesChoice, SearcherChoice
from gameforge.play.game import Game
from gameforge.play.pipeline_settings import normal
from gameforge.play.player import Player
from gameforge.play.playing_settings import playing_settings
from gameforge.play.saved_players import load_player
from gameforge.plugins.registry import Registry


@attrs.frozen(kw_only=True)
class TrainedChoice:
    """Parameters that can follow the name of such a player, as in `strong:level=3`."""

    level: int | None = None
    """One of its levels, from 1, the weakest; None: its full strength."""


def parse_trained(text: str) -> tuple[str, int | None]:
    """Return name and level of a text such as `strong:level=3`; GameforgeError for any other parameter."""
    spec = parse_spec(text)
    return spec.use, structure(TrainedChoice, spec.params, f"player {spec.use}").level


def trained_player(
    name: str,
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
    *,
    game: RulesChoice | None = None,
    level: int | None = None,
    searcher: SearcherChoice | None = None,
    oracle: OraclesChoice | None = None,
) -> Player:
    """Load the player of this name.

    game: the rules to play by; may be omitted if only one game has a player of this name. The other parameters are as
    for `load_player`. Raises GameforgeError for an unknown name, and as `load_player` does.
    """
    if game is None:
        games = [each for each in registry.names("rules") if registry.has("player", name, each)]
        if len(games) > 1:
            raise GameforgeError(f"player {name!r} exists for {', '.join(games)}", advice="name one", parameter="game")
    if isinstance(game, str):
        registry.find("rules", _name(game))  # report an unknown game before an unknown player
    component = registry.find("player", name, None if game is None else _name(game))
    loaded = load_player(
        folder_with_level(name, component.game, level, registry),
        registry,
        announce,
        workers,
        game=component.game if game is None else game,
        level=level,
        searcher=searcher,
        oracle=oracle,
    )
    return Player(loaded.parts, loaded.weights, name, loaded.spec)


def folder_with_level(name: str, game: str | None, level: int | None, registry: Registry) -> Path:
    """Return the folder of a game's trained player; GameforgeError, which names the player, if it has no such level."""
    folder = registry.player_folder(name, game)
    playing_settings(folder).at(level, f"player {name!r}")
    return folder


def without_levels(player: str, registry: Registry) -> GameforgeError:
    """The error for a level of a player that is neither trained nor saved; it says what has levels."""
    games = [game for game in registry.names("rules") if registry.names("player", game)]
    return GameforgeError(
        f"{player} has no levels, which trained players (those of {', '.join(games) or 'no installed game'}) and saved "
        "ones have; to weaken it, lower the limit of its search"
    )


def _name(game: RulesChoice) -> str:
    """The name of the game."""
    if isinstance(game, Game):
        return game.rules.name
    if isinstance(game, str | Spec | Mapping):
        return spec_from_settings(normal({"game": game})["game"], "game").use.rpartition("/")[2]
    return game.name
