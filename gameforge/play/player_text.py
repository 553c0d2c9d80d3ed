"""Players as text: a trained player's name, the folder of a run or saved player, a TOML file, or parts joined by ` + `.

One of the parts may be a trained player or a folder: this player, with another searcher or other oracles. The part
`none` stands for no oracles.
"""

import itertools
import os.path
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gameforge.config import parse_spec, read_toml, split_parts, structure
from gameforge.config.toml import in_file
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.game import Game
from gameforge.play.implied_game import PART_KINDS, implied_game
from gameforge.play.new_player import new_player
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.play.player import Player
from gameforge.play.saved_players import PLAYER_KEYS, level_count, load_player, player_folder
from gameforge.play.trained_players import TrainedChoice, trained_player
from gameforge.plugins.registry import Registry


def player_from_text(
    text: str,
    game: str | Game | None,
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
    level: int | None = None,
) -> Player:
    """Make the player that a text describes; the text is its name.

    game: needed for parts that fit several games, for a TOML file that names no game, and for the name of a player that
    several games have. With parameters, as NAME:KEY=VALUE, it is the rules that the player plays by, whatever its
    folder or file says. announce, workers: as for OracleHandle. level: one of the levels of a trained or saved
    player.

    Raises GameforgeError for an unknown part, for two parts of the same kind, for parts without a game, for a level of
    anything else, and for a player of another game.
    """
    name = text if level is None else f"{text} (level {level})"
    path = Path(text)
    rules = game if isinstance(game, str) and parse_spec(game).params else None
    if rules is not None and (own := implied_game(text, registry)) is not None:
        _require_game(text, _name(own), _name(rules))
    game = implied_game(text, registry) if game is None else game
    if os.path.isdir(text):
        _require_no_trained(text, registry)
        player = load_player(path, registry, announce, workers, game=rules, level=level)
        found = Player(player.parts, player.weights, name, player.spec)
    elif text.endswith(".toml"):
        _require_no_level(text, level)
        found = _from_toml(path, game, rules, registry, announce, workers)
    else:
        parts = _parts(text, _name(game), registry)
        folder, trained = parts.pop("folder", None), parts.pop("player", None)
        if folder is not None:
            _require_no_searcher(text, level, parts)
            loaded = load_player(folder, registry, announce, workers, game=rules, level=level, **parts)
            found = Player(loaded.parts, loaded.weights, name, loaded.spec)
        elif trained is not None:
            loaded = _trained(trained, game, registry, announce, workers, level, parts)
            found = Player(loaded.parts, loaded.weights, name, loaded.spec)
        elif game is None:
            raise GameforgeError(f"player {text!r}: parts need a game", advice="name it", parameter="game")
        else:
            _require_no_level(text, level)
            try:
                found = new_player(game, registry, **parts, name=text, announce=announce, workers=workers)
            except GameforgeError as error:
                raise GameforgeError(
                    error.sentence(lambda kind: f"one more part: '{text} + {kind.upper()}'")
                ) from error
    if game is not None:
        expected = _name(game) if isinstance(game, Game) else registry.create("rules", parse_spec(game)).name
        _require_game(text, found.game.rules.name, expected)
    return found


def levels_of(text: str, game: str | Game | None, registry: Registry) -> int:
    """Return how many levels the player of a text has; 0 if the text names one of them already, or a searcher.

    Raises GameforgeError for an unknown part.
    """
    if os.path.isdir(text):
        return level_count(Path(text))
    if text.endswith(".toml"):
        return 0
    parts = _parts(text, _name(game), registry)
    if "searcher" in parts:
        return 0
    if "folder" in parts:
        return level_count(parts["folder"])
    trained = parse_spec(parts["player"]) if "player" in parts else None
    if trained is None or "level" in trained.params:
        return 0
    return level_count(registry.player_folder(trained.use, _name(game)))


def folder_of(text: str, game: str | None, registry: Registry) -> Path:
    """Return the folder of a player that is given by the name of a trained player, or the folder of a run or player.

    game: needed for the name of a player that several games have. Raises GameforgeError if there is no such player, and
    if it plays another game.
    """
    if os.path.isdir(text):
        _require_no_trained(text, registry)
        own = _name(implied_game(text, registry))
        if game is not None:
            _require_game(text, own, registry.find("rules", game).name)
        return player_folder(Path(text))
    if not registry.has("player", text):
        names = registry.names("player", game)
        raise GameforgeError(
            f"player {text!r} is neither a folder nor a trained player{near(text, names)}; "
            f"known: {', '.join(names) or 'none'}"
        )
    return registry.player_folder(text, game)


def require_known_parts(text: str, registry: Registry) -> None:
    """Raise GameforgeError if a part of a player is neither a folder nor a component of any game."""
    for part in [] if os.path.isdir(text) else split_parts(text):
        known = part == NONE or part.endswith(".toml") or (part and os.path.isdir(part))
        name = part.partition(":")[0].strip()
        if not known and not any(registry.has(kind, name) for kind in PART_KINDS):
            raise _unknown_part(text, name, None, registry)


def _unknown_part(text: str, name: str, game: str | None, registry: Registry) -> GameforgeError:
    if not text.strip():
        return GameforgeError("player '': the text is empty; give a folder, a TOML file, a trained player or parts")
    suggestion = near(name, itertools.chain(*(registry.names(kind, game) for kind in PART_KINDS)))
    return GameforgeError(
        f"player {text!r}: {name!r} is not a folder, trained player, searcher, evaluator, feature map, oracle "
        f"or book{suggestion}"
    )


def _trained(
    text: str,
    game: str | Game | None,
    registry: Registry,
    announce: Announce,
    workers: int,
    level: int | None,
    parts: Mapping[str, Any],
) -> Player:
    """Load a player that a plugin brings; `text` is its name, with a level perhaps."""
    spec = parse_spec(text)
    choice = structure(TrainedChoice, spec.params, f"player {spec.use}")
    if level is not None and choice.level is not None:
        raise GameforgeError(f"player {text!r} already names a level; level {level} cannot be chosen as well")
    chosen = choice.level if level is None else level
    _require_no_searcher(text, chosen, parts)
    return trained_player(spec.use, registry, announce, workers, game=game, level=chosen, **parts)


def _require_no_trained(text: str, registry: Registry) -> None:
    if registry.has("player", text):
        raise GameforgeError(f"{text!r} is both a folder and a player; write ./{text} for the folder")


def _require_game(text: str, own: str | None, expected: str | None) -> None:
    if own != expected:
        raise GameforgeError(f"player {text!r} plays {own}, not {expected}")


def _require_no_searcher(text: str, level: int | None, parts: Mapping[str, Any]) -> None:
    if level is not None and "searcher" in parts:
        raise GameforgeError(f"player {text!r} names a searcher, which would replace that of level {level}; omit one")


def _require_no_level(text: str, level: int | None) -> None:
    if level is not None:
        raise GameforgeError(f"player {text!r} has no levels; only trained and saved players have")


def players_from_texts(
    given: Sequence[str | Player],
    game: str | Game | None,
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
) -> list[Player]:
    """Make the players that several texts describe; Players among them stay as they are.

    If no game is named, players that name none, such as those made of parts, play the game of the first one that does.
    """
    found: dict[int, Player] = {i: one for i, one in enumerate(given) if isinstance(one, Player)}
    texts = {i: one for i, one in enumerate(given) if isinstance(one, str)}
    for text in texts.values():  # before the first player, which may have to build a database
        require_known_parts(text, registry)
    if game is None:
        for i, text in texts.items():
            if implied_game(text, registry) is not None:
                found[i] = player_from_text(text, None, registry, announce, workers)
        game = next((found[i].game for i in sorted(found)), None)
    for i, text in texts.items():
        if i not in found:
            found[i] = player_from_text(text, game, registry, announce, workers)
    return [found[i] for i in range(len(given))]


def _name(game: str | Game | None) -> str | None:
    """Return the plain name of a game, without plugin and parameters."""
    if isinstance(game, Game):
        return game.rules.name
    return None if game is None else parse_spec(game).use.rpartition("/")[2]


def _from_toml(
    path: Path, game: str | Game | None, rules: str | None, registry: Registry, announce: Announce, workers: int
) -> Player:
    """Make the player of a pipeline in a TOML file; the file's seed draws the weights of a net.

    game: the game if the file names none. rules: replace the file's; None keeps them.
    """
    with in_file(path):
        settings = normal(read_toml(path))
        if "game" not in settings and game is None:
            raise GameforgeError(f"player {path}: the file names no game", advice="name it", parameter="game")
        chosen: dict[str, Any] = {"game": game, **{key: settings[key] for key in PLAYER_KEYS if key in settings}}
        if rules is not None:
            chosen["game"] = rules
        seed = settings.get("seed", 0)
        return new_player(registry=registry, **chosen, seed=seed, name=str(path), announce=announce, workers=workers)


def _parts(text: str, game: str | None, registry: Registry) -> dict[str, Any]:
    """Sort the parts into component strings by kind; oracles keep their order, and NONE stands for no oracles."""
    chosen: dict[str, Any] = {}
    for part in split_parts(text):
        name = part.partition(":")[0].strip()
        if part == NONE:
            if "oracle" in chosen:
                raise GameforgeError(f"player {text!r}: none stands for no oracles; omit it or the oracles")
            chosen["oracle"] = NONE
            continue
        kinds = [kind for kind in PART_KINDS if registry.has(kind, name, game)]
        kinds = kinds or [kind for kind in PART_KINDS if registry.has(kind, name)]  # creating it reports the wrong game
        if kinds == ["player"] and os.path.isdir(part):
            _require_no_trained(part, registry)
        if kinds == ["player"] or (not kinds and part and os.path.isdir(part)):
            if "folder" in chosen or "player" in chosen:
                raise GameforgeError(f"player {text!r} has two folders or trained players; at most one is allowed")
            chosen |= {"player": part} if kinds else {"folder": Path(part)}
            continue
        if not kinds:
            raise _unknown_part(text, name, game, registry)
        if len(kinds) > 1:
            raise GameforgeError(f"player {text!r}: {name!r} is ambiguous: it names a {' and a '.join(kinds)}")
        if kinds[0] in ("oracle", "book"):
            if chosen.get("oracle") == NONE:
                raise GameforgeError(f"player {text!r}: none stands for no oracles; omit it or the oracles")
            chosen.setdefault("oracle", []).append(part)
        elif kinds[0] in chosen:
            raise GameforgeError(f"player {text!r} has two parts of the kind {kinds[0]}; at most one is allowed")
        else:
            chosen[kinds[0]] = part
    whose = f"the player in {chosen['folder']}" if "folder" in chosen else f"the player {chosen.get('player')}"
    surplus = [kind for kind in ("evaluator", "features") if {"folder", "player"} & chosen.keys() and kind in chosen]
    if surplus:
        raise GameforgeError(f"player {text!r}: {whose} has its own evaluator; omit the part {surplus[0]}")
    return chosen
