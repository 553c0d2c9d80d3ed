"""The saved players of which a vote or an ensemble consists."""

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
"""Each a saved player, a run or a folder of saved players."""


def given(instance: Any, attribute: "attrs.Attribute[Any]", value: Folders) -> None:
    """Validator: one folder or several."""
    if value == ():
        raise GameforgeError(f"'{attribute.name}' must name a run, a saved player or a list of them: {value!r}")


def members(folders: Folders, registry: Registry, rules: Rules) -> tuple[Player, ...]:
    """The players in order. Raises GameforgeError for a folder without any, and for players of other rules."""
    asked = (folders,) if isinstance(folders, Path) else folders
    players = load_players((found for folder in asked for found in _saved_in(folder)), registry)
    for player in players:
        if not same_rules(player.game.rules, rules):
            raise GameforgeError(
                f"players: {player.name} plays {rules_text(player.game.rules)}, not {rules_text(rules)}"
            )
    return tuple(players)


def _saved_in(folder: Path) -> Iterable[Path]:
    """A saved player itself; what a run has in `generations`, else its player; the players in any other folder."""
    if (folder / PLAYER_FORMAT.file).is_file():
        return [folder]
    for place in (folder / GENERATIONS, folder):
        found = sorted(path.parent for path in place.glob(f"*/{PLAYER_FORMAT.file}"))
        if found:
            return found
    raise GameforgeError(f"players: {folder} holds no saved player; give a run, a saved player or a folder of them")
