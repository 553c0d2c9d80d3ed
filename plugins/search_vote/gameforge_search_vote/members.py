"""Find and load the saved players that are the members of a vote or an ensemble."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules
from gameforge.play.game import rules_text, same_rules
from gameforge.play.player import Player
from gameforge.play.saved_players import load_players
from gameforge.plugins.registry import Registry
from gameforge.storage.player_files import PLAYER_FORMAT
from gameforge.training.run_folder import GENERATIONS

Folders = Path | tuple[Path, ...]
"""One or more folders, each of which is a saved player, a run or a folder of saved players."""


def given(instance: Any, attribute: "attrs.Attribute[Any]", value: Folders) -> None:
    """Validate that at least one folder is named."""
    if value == ():
        raise GameforgeError(f"'{attribute.name}' must name a run, a saved player or a list of them (got {value!r})")


def members(folders: Folders, registry: Registry, rules: Rules) -> tuple[Player, ...]:
    """Load the members, in order. Raises GameforgeError if a folder has no players, or a player has other rules."""
    named = [_folder(folder, registry, rules) for folder in ((folders,) if isinstance(folders, Path) else folders)]
    players = load_players((found for folder in named for found in _saved_in(folder)), registry)
    for player in players:
        if not same_rules(player.game.rules, rules):
            raise GameforgeError(
                f"players: {player.name} plays {rules_text(player.game.rules)}, not {rules_text(rules)}"
            )
    return tuple(players)


def _folder(named: Path, registry: Registry, rules: Rules) -> Path:
    """The folder of a trained player, if this is the name of one and no path."""
    if not named.exists() and registry.has("player", str(named), rules.name):
        return registry.player_folder(str(named), rules.name)
    return named


def _saved_in(folder: Path) -> Iterable[Path]:
    """Folders of players: a saved player itself, a run's `generations` or else its player, or any subfolders."""
    if (folder / PLAYER_FORMAT.file).is_file():
        return [folder]
    for place in (folder / GENERATIONS, folder):
        found = sorted(path.parent for path in place.glob(f"*/{PLAYER_FORMAT.file}"))
        if found:
            return found
    raise GameforgeError(f"players: {folder} holds no saved players; name a run, a saved player or a folder of them")
