"""The game that a player implies by itself, found without building the player."""

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gameforge.config import read_toml, spec_from_settings, split_parts
from gameforge.config.toml import in_file
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.play.saved_players import stored_settings
from gameforge.plugins.registry import Registry

PART_KINDS = ("searcher", "evaluator", "features", "oracle", "book", "player")
"""Kinds of component that can be a part of a player."""


def implied_game(text: str, registry: Registry) -> str | None:
    """Return the game of the player that a text describes, as a component string; None if it fits several games.

    A folder names the game, and so does a TOML file, as a rule. Parts determine it if only one game has all of them.
    Raises GameforgeError for a folder or a file that cannot be read.
    """
    if os.path.isdir(text):
        return _game_in(stored_settings(Path(text)))
    if text.endswith(".toml"):
        with in_file(text):
            return _game_in(normal(read_toml(Path(text))))
    games = {game.rpartition("/")[2] for game in registry.names("rules")}
    for part in split_parts(text):
        name = part.partition(":")[0].strip()
        fitting = {game for game in games if any(registry.has(kind, name, game) for kind in PART_KINDS)}
        if not fitting and os.path.isdir(part):
            return _game_in(stored_settings(Path(part)))
        games &= games if part == NONE else fitting
    return games.pop() if len(games) == 1 else None


def _game_in(settings: Mapping[str, Any]) -> str | None:
    found = settings.get("game", NONE)
    return None if found == NONE else str(spec_from_settings(found, "game"))
