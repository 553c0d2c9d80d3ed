"""Players on the command line: a run's folder, a saved player, a TOML file, or parts joined by ` + `.

A folder may be a part: its net, and what else it has, with another searcher or oracle.
"""

import itertools
from pathlib import Path
from typing import Any

from gameforge.config import parse_spec
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.player import Player
from gameforge.play.saved_players import PLAYER_KEYS, load_player
from gameforge.plugins.registry import Registry

_KINDS = ("searcher", "evaluator", "features", "oracle", "book")
PLAYER_HELP = (
    "Folder of a run or saved player, a TOML file, or parts: 'SEARCHER + EVALUATOR + ORACLE', 'SEARCHER + FOLDER'."
)


def player_from_text(
    text: str, game: str | None, registry: Registry, announce: Announce = silent, workers: int = 1
) -> Player:
    """The player that a command's argument names; it is called as it was written.

    game: needed for parts, and what a TOML file without one plays. workers help to prepare oracles.
    Raises GameforgeError for what is unknown, for two parts of one kind, for parts without a game, and for
    players of another one.
    """
    path = Path(text)
    if text and path.is_dir():
        player = load_player(path, registry, announce, workers)
        found = Player(player.parts, player.weights, text, player.spec)
    elif text.endswith(".toml"):
        found = _from_toml(path, game, registry)
    else:
        parts = _parts(text, game, registry)
        folder = parts.pop("folder", None)
        if folder is not None:
            given = {kind: part for kind, part in parts.items() if part}
            loaded = load_player(folder, registry, announce, workers, **given)
            found = Player(loaded.parts, loaded.weights, text, loaded.spec)
        elif game is None:
            raise GameforgeError(f"player {text!r}: parts need a game; give --game NAME")
        else:
            from gameforge.api import player as make_player

            try:
                found = make_player(game, **parts, name=text, registry=registry)
            except GameforgeError as error:
                raise GameforgeError(
                    error.sentence(lambda kind: f"one more part: '{text} + {kind.upper()}'")
                ) from error
    if game is not None:
        asked = registry.create("rules", parse_spec(game)).name
        if found.game.rules.name != asked:
            raise GameforgeError(f"player {text!r} plays {found.game.rules.name}, not {asked}")
    return found


def _from_toml(path: Path, game: str | None, registry: Registry) -> Player:
    """The player that a pipeline's file describes; a net in it has fresh weights, drawn from the file's seed."""
    from gameforge.api import player as make_player
    from gameforge.config import read_toml
    from gameforge.play.pipeline_settings import normal

    table = normal(read_toml(path))
    if game is not None:
        table.setdefault("game", game)
    if "game" not in table:
        raise GameforgeError(f"player {path}: the file names no game; give --game NAME")
    chosen = {key: table[key] for key in PLAYER_KEYS if key in table}
    return make_player(**chosen, seed=table.get("seed", 0), name=str(path), registry=registry)


def _parts(text: str, game: str | None, registry: Registry) -> dict[str, Any]:
    """Component strings by kind; oracles in the order in which they are asked."""
    from gameforge.config import parse_spec

    chosen: dict[str, Any] = {"oracle": []}
    name_of_game = None if game is None else parse_spec(game).use.rpartition("/")[2]
    for part in text.split(" + "):
        name = part.partition(":")[0].strip()
        kinds = [kind for kind in _KINDS if registry.has(kind, name, name_of_game)]
        kinds = kinds or [kind for kind in _KINDS if registry.has(kind, name)]  # of another game: told when it is made
        if not kinds and Path(part.strip()).is_dir():
            if "folder" in chosen:
                raise GameforgeError(f"player {text!r}: names two folders")
            chosen["folder"] = Path(part.strip())
            continue
        if not kinds:
            suggestion = near(name, itertools.chain(*(registry.names(kind, name_of_game) for kind in _KINDS)))
            raise GameforgeError(
                f"player {text!r}: {name!r} is no folder, searcher, evaluator, feature map, oracle or book{suggestion}"
            )
        if len(kinds) > 1:
            raise GameforgeError(f"player {text!r}: {name!r} is the name of a {' and of a '.join(kinds)}")
        if kinds[0] in ("oracle", "book"):
            chosen["oracle"].append(part.strip())
        elif kinds[0] in chosen:
            raise GameforgeError(f"player {text!r}: names two of the kind {kinds[0]}")
        else:
            chosen[kinds[0]] = part.strip()
    beside = [kind for kind in ("evaluator", "features") if "folder" in chosen and kind in chosen]
    if beside:
        raise GameforgeError(f"player {text!r}: {chosen['folder']} has an evaluator of its own; leave {beside[0]} out")
    return chosen
