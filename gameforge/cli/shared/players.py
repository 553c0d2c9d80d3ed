"""Players on the command line: the folder of a run or saved player, a TOML file, or parts joined by ` + `.

One of the parts may be a folder: the player that it holds, with another searcher or other oracles.
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
    "Folder of a run or saved player, a TOML file, or parts: 'SEARCHER + EVALUATOR + ORACLE' or 'SEARCHER + FOLDER'."
)


def player_from_text(
    text: str, game: str | None, registry: Registry, announce: Announce = silent, workers: int = 1
) -> Player:
    """Make the player that an argument of a command describes; the text is its name.

    game: needed for parts, and for a TOML file that names no game. workers: number of threads that prepare oracles.
    Raises GameforgeError for an unknown part, for two parts of the same kind, for parts without a game, and for a
    player of another game.
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
        expected = registry.create("rules", parse_spec(game)).name
        if found.game.rules.name != expected:
            raise GameforgeError(f"player {text!r} plays {found.game.rules.name}, not {expected}")
    return found


def _from_toml(path: Path, game: str | None, registry: Registry) -> Player:
    """Make the player of a pipeline in a TOML file; the file's seed draws the weights of a net."""
    from gameforge.api import player as make_player
    from gameforge.config import read_toml
    from gameforge.play.pipeline_settings import normal

    settings = normal(read_toml(path))
    if game is not None:
        settings.setdefault("game", game)
    if "game" not in settings:
        raise GameforgeError(f"player {path}: the file names no game; give --game NAME")
    chosen = {key: settings[key] for key in PLAYER_KEYS if key in settings}
    return make_player(**chosen, seed=settings.get("seed", 0), name=str(path), registry=registry)


def _parts(text: str, game: str | None, registry: Registry) -> dict[str, Any]:
    """Sort the parts into component strings by kind; oracles keep their order."""
    from gameforge.config import parse_spec

    chosen: dict[str, Any] = {"oracle": []}
    name_of_game = None if game is None else parse_spec(game).use.rpartition("/")[2]
    for part in text.split(" + "):
        name = part.partition(":")[0].strip()
        kinds = [kind for kind in _KINDS if registry.has(kind, name, name_of_game)]
        kinds = kinds or [kind for kind in _KINDS if registry.has(kind, name)]  # creating it reports the wrong game
        if not kinds and Path(part.strip()).is_dir():
            if "folder" in chosen:
                raise GameforgeError(f"player {text!r} has two folders; at most one is allowed")
            chosen["folder"] = Path(part.strip())
            continue
        if not kinds:
            suggestion = near(name, itertools.chain(*(registry.names(kind, name_of_game) for kind in _KINDS)))
            raise GameforgeError(
                f"player {text!r}: {name!r} is not a folder, searcher, evaluator, feature map, oracle or book"
                f"{suggestion}"
            )
        if len(kinds) > 1:
            raise GameforgeError(f"player {text!r}: {name!r} is ambiguous: it names a {' and a '.join(kinds)}")
        if kinds[0] in ("oracle", "book"):
            chosen["oracle"].append(part.strip())
        elif kinds[0] in chosen:
            raise GameforgeError(f"player {text!r} has two parts of the kind {kinds[0]}; at most one is allowed")
        else:
            chosen[kinds[0]] = part.strip()
    surplus = [kind for kind in ("evaluator", "features") if "folder" in chosen and kind in chosen]
    if surplus:
        raise GameforgeError(
            f"player {text!r}: the player in {chosen['folder']} has its own evaluator; omit the part {surplus[0]}"
        )
    return chosen
