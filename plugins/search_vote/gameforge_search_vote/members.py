"""Find and load the saved and trained players that are the members of a vote or an ensemble."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules
from gameforge.play.game import rules_text, same_rules
from gameforge.play.player import Player
from gameforge.play.saved_players import folder_with_level, load_players_at, parse_trained
from gameforge.storage.player_files import PLAYER_FORMAT
from gameforge.training.run import GENERATIONS

Folders = Path | tuple[Path, ...]
"""One or more folders, each of which is a saved player, a run or a folder of saved players.

The name of a trained player, optionally with a level, stands for its folder.
"""


def given(instance: Any, attribute: "attrs.Attribute[Any]", value: Folders) -> None:
    """Validate that at least one folder is named."""
    if value == ():
        raise GameforgeError(
            f"'{attribute.name}' must name a run, a saved player, a trained player or a list of them (got {value!r})"
        )


def members(folders: Folders, registry: Registry, rules: Rules) -> tuple[Player, ...]:
    """Load the members, in order.

    Raises GameforgeError if a folder has no players, if a trained player does not have the level that is named, or if a
    player has other rules.
    """
    named = [_named(one, registry, rules) for one in ((folders,) if isinstance(folders, Path) else folders)]
    players = load_players_at(((found, level) for folder, level in named for found in _saved_in(folder)), registry)
    for player in players:
        if not same_rules(player.game.rules, rules):
            raise GameforgeError(
                f"players: {player.name} plays {rules_text(player.game.rules)}, not {rules_text(rules)}"
            )
    return tuple(players)


def _named(path: Path, registry: Registry, rules: Rules) -> tuple[Path, int | None]:
    """Return the folder and the level of a trained player, if this is the name of one and no path."""
    text = str(path)
    if path.exists() or not registry.has("player", text.partition(":")[0], rules.name):
        return path, None
    name, level = parse_trained(text)
    return folder_with_level(name, rules.name, level, registry), level


def _saved_in(folder: Path) -> Iterable[Path]:
    """Folders of players: a saved player itself, a run's `generations` or else its player, or any subfolders."""
    if (folder / PLAYER_FORMAT.file).is_file():
        return [folder]
    for place in (folder / GENERATIONS, folder):
        found = sorted(path.parent for path in place.glob(f"*/{PLAYER_FORMAT.file}"))
        if found:
            return found
    raise GameforgeError(
        f"players: {folder} holds no saved players; name a run, a saved player, a folder of them or a trained player"
    )
