"""Players made to order: from components, or from texts that describe them (player_text.py).

Components that are not named come from the game's preset.
"""

import os.path
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import parse_spec, read_toml
from gameforge.config.toml import in_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.game import Game
from gameforge.play.pipeline import (
    EvaluatorChoice,
    FeaturesChoice,
    OraclesChoice,
    Pipeline,
    RulesChoice,
    SearcherChoice,
)
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.play.player import Player
from gameforge.play.player_text import (
    PlayerText,
    implied_game,
    parse_player_text,
    require_known_parts,
    require_no_trained,
)
from gameforge.play.saved_players import (
    PLAYER_KEYS,
    level_count,
    load_player,
    parse_trained,
    player_folder,
    player_spec,
    trained_player,
    without_levels,
)


def new_player(
    game: RulesChoice,
    registry: Registry,
    *,
    searcher: SearcherChoice | None = None,
    evaluator: EvaluatorChoice | None = None,
    features: FeaturesChoice | None = None,
    oracle: OraclesChoice = NONE,
    seed: int = 0,
    name: str = "player",
    announce: Announce = silent,
    workers: int = 1,
) -> Player:
    """Make a player of a game; components that are None come from the game's preset.

    seed: for the initial weights of an evaluator that has weights. announce, workers: as for OracleHandle.
    Raises GameforgeError for an unknown component, and if the searcher needs an evaluator but only the preset names
    one, which is not trained.
    """
    import numpy as np

    chosen = Pipeline(
        game=game,
        searcher=searcher,
        evaluator=evaluator,
        features=features,
        oracle=oracle,
        learner=NONE,
        registry=registry,
    )
    parts = chosen.parts(announce, workers)
    if evaluator is None and parts.search.needs_evaluator and parts.vector is not None:
        raise GameforgeError(
            f"player: with these settings, {chosen.settings['searcher']['use']} needs an evaluator; the one of the "
            f"preset, {chosen.settings['evaluator']['use']}, is untrained",
            advice="give the folder of a trained player, or name an evaluator",
            parameter="evaluator",
        )
    weights = None if parts.vector is None else parts.initial_weights(np.random.default_rng(seed))
    return Player(parts, weights, name, player_spec(chosen.settings))


def player_from_text(
    text: str,
    game: str | Game | None,
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
    level: int | None = None,
    oracles: Sequence[str] = (),
) -> Player:
    """Make the player that a text describes; the text is its name.

    game: needed for parts that fit several games, for a TOML file that names no game, and for the name of a player that
    several games have. With parameters, as NAME:KEY=VALUE, it is the rules that the player plays by, whatever its
    folder or file says. announce, workers: as for OracleHandle. level: one of the levels of a trained or saved
    player. oracles: replace those of a player at its full strength, unless its text or file names its own.

    Raises GameforgeError for an unknown part, for two parts of the same kind, for parts without a game, for a level of
    anything else, and for a player of another game.
    """
    name = text if level is None else f"{text} (level {level})"
    rules = game if isinstance(game, str) and parse_spec(game).params else None
    if rules is not None and (own := implied_game(text, registry)) is not None:
        _require_game(text, _name(own), _name(rules))
    game = implied_game(text, registry) if game is None else game
    given = parse_player_text(text, _name(game), registry)
    if oracles and given.oracles is None and level is None and not _names_level(given):
        given = attrs.evolve(given, oracles=() if list(oracles) == [NONE] else tuple(oracles))
    if given.file is not None:
        _require_no_level(text, level, registry)
        found = _from_toml(given.file, game, rules, registry, announce, workers)
    elif given.folder is not None:
        _require_no_searcher(text, level, given)
        found = load_player(
            given.folder,
            registry,
            announce,
            workers,
            game=rules,
            level=level,
            searcher=given.searcher,
            oracle=given.oracle,
        )
        found = Player(found.parts, found.weights, name, found.spec)
    elif given.trained is not None:
        found = _trained(given.trained, game, registry, announce, workers, level, given)
        found = Player(found.parts, found.weights, name, found.spec)
    elif game is None:
        raise GameforgeError(f"player {text!r}: parts need a game", advice="name it", parameter="game")
    else:
        _require_no_level(text, level, registry)
        found = _from_parts(given, game, registry, announce, workers)
    if game is not None:
        expected = _name(game) if isinstance(game, Game) else registry.create("rules", parse_spec(game)).name
        _require_game(text, found.game.rules.name, expected)
    return found


def levels_of(text: str, game: str | Game | None, registry: Registry) -> int:
    """Return how many levels the player of a text has; 0 if the text names one of them already, or a searcher.

    Raises GameforgeError as `parse_player_text` does.
    """
    given = parse_player_text(text, _name(game), registry)
    if given.searcher is not None:
        return 0
    if given.folder is not None:
        return level_count(given.folder)
    trained = None if given.trained is None else parse_spec(given.trained)
    if trained is None or "level" in trained.params:
        return 0
    return level_count(registry.player_folder(trained.use, _name(game)))


def excludes_oracles(text: str, game: str | Game | None, registry: Registry) -> bool:
    """Return whether a text says that its player has no oracles: by the part `none`, or by `oracle` in its TOML file.

    A text that names no oracles says nothing about them. Raises GameforgeError as `parse_player_text` does, and for a
    file that cannot be read.
    """
    given = parse_player_text(text, _name(game), registry)
    if given.file is None:
        return given.oracles == ()
    with in_file(given.file):
        return normal(read_toml(given.file)).get("oracle") == []


def folder_of(text: str, game: str | None, registry: Registry) -> Path:
    """Return the folder of a player that is given by the name of a trained player, or the folder of a run or player.

    game: needed for the name of a player that several games have. Raises GameforgeError if there is no such player, and
    if it plays another game.
    """
    if os.path.isdir(text):
        require_no_trained(text, registry)
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


def _names_level(given: PlayerText) -> bool:
    return given.trained is not None and parse_trained(given.trained)[1] is not None


def _trained(
    text: str,
    game: str | Game | None,
    registry: Registry,
    announce: Announce,
    workers: int,
    level: int | None,
    given: PlayerText,
) -> Player:
    """Load a player that a plugin brings; `text` is its name, optionally with a level."""
    name, own = parse_trained(text)
    if level is not None and own is not None:
        raise GameforgeError(f"player {text!r} already names a level; level {level} cannot be chosen as well")
    chosen = own if level is None else level
    _require_no_searcher(text, chosen, given)
    return trained_player(
        name,
        registry,
        announce,
        workers,
        game=game,
        level=chosen,
        searcher=given.searcher,
        oracle=given.oracle,
    )


def _from_parts(given: PlayerText, game: str | Game, registry: Registry, announce: Announce, workers: int) -> Player:
    """Make a player of components."""
    try:
        return new_player(
            game,
            registry,
            searcher=given.searcher,
            evaluator=given.evaluator,
            features=given.features,
            oracle=NONE if given.oracle is None else given.oracle,
            name=given.text,
            announce=announce,
            workers=workers,
        )
    except GameforgeError as error:
        raise GameforgeError(error.sentence(lambda kind: f"one more part: '{given.text} + {kind.upper()}'")) from error


def _require_game(text: str, own: str | None, expected: str | None) -> None:
    if own != expected:
        raise GameforgeError(f"player {text!r} plays {own}, not {expected}")


def _require_no_searcher(text: str, level: int | None, given: PlayerText) -> None:
    if level is not None and given.searcher is not None:
        raise GameforgeError(f"player {text!r} names a searcher, which would replace that of level {level}; omit one")


def _require_no_level(text: str, level: int | None, registry: Registry) -> None:
    if level is not None:
        raise without_levels(f"player {text!r}", registry)


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
