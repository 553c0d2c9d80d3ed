"""Players in folders: those that runs save, those that plugins bring, and how they play.

A trained player that a plugin brings is a component of the kind `player`, whose folder is like that of a saved player.
The folder's file player.toml says how the player plays: searcher, oracles and levels.

    [searcher]                  # instead of the one that trained it
    use = "alphabeta"
    nodes = 400000

    [[oracle]]
    use = "chinook"
    pieces = 4

    [[levels]]                  # from the weakest on; an empty table is the player itself
    searcher = { use = "alphabeta", depth = 1 }
    oracle = []

    [[levels]]

    [fitted.alphabeta]          # parameters of a searcher that were fitted to this player's evaluator
    confidence = 1.1

    [added]                     # to weights that the evaluator names: a number for each of its phases
    "opponent's few discs" = [0.1, 0.2, 0, 0]

Every `alphabeta` that plays with the player's evaluator has the fitted parameters, unless it gives its own. A searcher
inside another one, such as that of `handicap`, does not have them.

The file is written by hand and optional. The folder's manifest and weights stay as the training has saved them.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.config import Spec, parse_spec, read_toml, spec_from_settings, structure
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NamedWeights
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import Announce, silent
from gameforge.interfaces.rules import Rules
from gameforge.play.game import Game, rules_text, same_rules
from gameforge.play.parts import Parts
from gameforge.play.pipeline import OraclesChoice, Pipeline, RulesChoice, SearcherChoice
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.play.player import Player
from gameforge.storage.player_files import PLAYER_FORMAT, WEIGHTS, StoredPlayer, read_player, write_player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


PLAYING = "player.toml"


@attrs.frozen(kw_only=True)
class Level:
    """What a player uses at one level instead of its own components."""

    searcher: Spec | None = None
    oracle: tuple[Spec, ...] | None = None

    def settings(self) -> dict[str, Any]:
        """As in the settings of a pipeline."""
        found: dict[str, Any] = {}
        if self.searcher is not None:
            found["searcher"] = self.searcher.settings()
        if self.oracle is not None:
            found["oracle"] = [oracle.settings() for oracle in self.oracle]
        return found


@attrs.frozen(kw_only=True)
class PlayingSettings(Level):
    """The content of the file."""

    levels: tuple[Level, ...] = ()
    """From the weakest on."""
    fitted: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    """Parameters that were fitted to the player's evaluator, by the name of a searcher."""
    added: dict[str, tuple[float, ...]] = attrs.field(factory=dict)
    """What is added to weights that the player's evaluator names (NamedWeights), when the player is loaded."""

    def at(self, level: int | None, player: str) -> dict[str, Any]:
        """Return the settings that replace those of the saved player; None is the player's full strength.

        player: names the player. Raises GameforgeError if there is no such level.
        """
        if level is None:
            return self.settings()
        if type(level) is not int:
            raise GameforgeError(f"level = {level!r}: must be a whole number")
        if not self.levels:
            raise GameforgeError(f"{player} has no levels; its file {PLAYING} could describe them")
        if not 1 <= level <= len(self.levels):
            raise GameforgeError(f"{player} has no level {level}; it has levels 1 to {len(self.levels)}")
        return self.settings() | self.levels[level - 1].settings()

    def completed(self, settings: Mapping[str, Any], registry: Registry) -> dict[str, Any]:
        """Return the settings of a pipeline, with the fitted parameters that their searcher does not give itself.

        A searcher that is an object, or unknown, stays as it is. Raises GameforgeError for an unknown name in `fitted`.
        """
        by_searcher = {registry.find("searcher", name): parameters for name, parameters in self.fitted.items()}
        searcher = settings.get("searcher")
        if not by_searcher or not isinstance(searcher, str | Spec | Mapping) or searcher == NONE:
            return dict(settings)
        chosen = normal({"searcher": searcher})["searcher"]
        if not registry.has("searcher", str(chosen.get("use"))):
            return dict(settings)
        return {**settings, "searcher": by_searcher.get(registry.find("searcher", chosen["use"]), {}) | chosen}


def playing_settings(folder: Path) -> PlayingSettings:
    """Read the file of a player's folder; without the file, nothing is replaced.

    Raises GameforgeError that names the file for unknown keys and wrong values.
    """
    path = folder / PLAYING
    if not path.is_file():
        return PlayingSettings()
    try:
        return structure(PlayingSettings, read_toml(path))
    except GameforgeError as error:
        raise GameforgeError(f"{path}: {error}") from error


PLAYER_KEYS = ("game", "searcher", "evaluator", "oracle")
"""Keys of a pipeline's settings that describe a player."""
RUN_FILE = "run.json"
"""Manifest of the folder of a run, whose player is written at its end."""
GENERATIONS = "generations"
"""Folder in the folder of a run, with the players that the training kept."""


def save_player(folder: Path, player: Player, weights_name: str = WEIGHTS) -> None:
    """Write a player into a folder; weights_name as for `write_player`."""
    vector = player.parts.vector
    layout = "" if vector is None else vector.layout
    write_player(folder, StoredPlayer(player.name, player.spec, player.weights, layout), weights_name)


def load_player(
    folder: Path,
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
    *,
    game: RulesChoice | None = None,
    level: int | None = None,
    searcher: SearcherChoice | None = None,
    oracle: OraclesChoice | None = None,
) -> Player:
    """Load a player from its folder or from the folder of a run.

    announce, workers: as for OracleHandle. game: the rules to play by. level: one of the levels that player.toml
    describes, from 1. searcher, oracle: replace the player's own. Raises GameforgeError if the player is missing,
    incomplete, altered or of another schema, if it has no such level, or if its components cannot be built.
    """
    replaced = {"game": game, "searcher": searcher, "oracle": oracle}
    replaced = {key: choice for key, choice in replaced.items() if choice is not None}
    return _loaded([(folder, level)], registry, announce, workers, replaced)[0]


def level_count(folder: Path) -> int:
    """Return how many levels the player in a folder, or in the folder of a run, has."""
    return len(playing_settings(player_folder(folder)).levels)


def load_players(
    folders: Iterable[Path],
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
) -> list[Player]:
    """Load several players as `load_player` does; those with the same components share them.

    No database is therefore opened twice.
    """
    return load_players_at(((folder, None) for folder in folders), registry, announce, workers)


def load_members(folders: Path | Iterable[Path], rules: Rules, registry: Registry) -> tuple[Player, ...]:
    """Load the players that are named as the members of another component, in order.

    Each name is the folder of a saved player, of a run (its generations), or of several saved players; or the name of a
    trained player, as `strong` or `strong:level=3`. Raises GameforgeError if a folder has no players, if a trained
    player does not have the level that is named, or if a player has other rules.
    """
    named = [_member(one, rules, registry) for one in ((folders,) if isinstance(folders, Path) else folders)]
    players = load_players_at(((found, level) for folder, level in named for found in _saved_in(folder)), registry)
    for player in players:
        if not same_rules(player.game.rules, rules):
            raise GameforgeError(
                f"players: {player.name} plays {rules_text(player.game.rules)}, not {rules_text(rules)}"
            )
    return tuple(players)


def _member(path: Path, rules: Rules, registry: Registry) -> tuple[Path, int | None]:
    """Return the folder and the level of a trained player, if this is the name of one and no path."""
    text = str(path)
    if path.exists() or not registry.has("player", text.partition(":")[0], rules.name):
        return path, None
    name, level = parse_trained(text)
    return folder_with_level(name, rules.name, level, registry), level


def _saved_in(folder: Path) -> Iterable[Path]:
    """Return folders of players: a saved player itself, a run's `generations` or else its player, or any subfolders."""
    if PLAYER_FORMAT.path(folder).is_file():
        return [folder]
    for place in (folder / GENERATIONS, folder):
        found = sorted(path.parent for path in place.glob(f"*/{PLAYER_FORMAT.file}"))
        if found:
            return found
    raise GameforgeError(
        f"players: {folder} holds no saved players; name a run, a saved player, a folder of them or a trained player"
    )


def load_players_at(
    chosen: Iterable[tuple[Path, int | None]],
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
) -> list[Player]:
    """Load several players as `load_players` does, each by its folder and level; None is its full strength."""
    return _loaded(chosen, registry, announce, workers, {})


def _loaded(
    chosen: Iterable[tuple[Path, int | None]],
    registry: Registry,
    announce: Announce,
    workers: int,
    replaced: dict[str, Any],
) -> list[Player]:
    shared: dict[str, tuple[Parts, dict[str, Any]]] = {}
    players = []
    for folder, level in chosen:
        where = player_folder(folder)
        stored, playing = read_player(where), playing_settings(where)
        own = playing.at(level, f"the player in {where}")
        key = json.dumps([stored.pipeline, own, playing.fitted], sort_keys=True)
        if key not in shared:
            pipeline = _pipeline(where, stored, playing, own, registry, replaced)
            with _named(where):
                spec = player_spec(pipeline.settings) if own or replaced or playing.fitted else dict(stored.pipeline)
                shared[key] = pipeline.parts(announce, workers), spec
        parts, spec = shared[key]
        layout = "" if parts.vector is None else parts.vector.layout
        if stored.layout and layout and stored.layout != layout:
            raise GameforgeError(f"{where}: its weights are for {stored.layout}, but its evaluator has {layout}")
        with _named(where):
            players.append(Player(parts, _with_added(parts, stored.weights, playing.added), stored.name, spec))
    return players


def _with_added(
    parts: Parts, weights: "NDArray[np.float32] | None", added: Mapping[str, Sequence[float]]
) -> "NDArray[np.float32] | None":
    """Return the weights with the additions of the player's file; a wrong number of weights is for Player to refuse."""
    if not added:
        return weights
    if not isinstance(parts.evaluator, NamedWeights):
        raise GameforgeError(f"{PLAYING}: this evaluator has no named weights; remove the table [added]")
    if weights is None or parts.vector is None or len(weights) != parts.vector.length:
        return weights
    return parts.evaluator.with_added(parts.game.rules, weights, added)


def _pipeline(
    folder: Path,
    stored: StoredPlayer,
    playing: PlayingSettings,
    own: dict[str, Any],
    registry: Registry,
    replaced: Mapping[str, Any],
) -> Pipeline:
    """Build the pipeline of a player; an error names the folder, unless it is only in what the caller replaces.

    own: what the player uses at its level instead of the saved components.
    """
    with _named(folder):
        settings = playing.completed({"learner": NONE, "oracle": NONE} | _settings(folder, stored) | own, registry)
    given = playing.completed(replaced, registry)
    try:
        return Pipeline(registry=registry, **(settings | given))
    except GameforgeError:
        with _named(folder):
            Pipeline(registry=registry, **settings)
        raise


@contextlib.contextmanager
def _named(folder: Path) -> Iterator[None]:
    """Name the folder of a player in errors, without advice about parameters, which a folder does not have."""
    try:
        yield
    except GameforgeError as error:
        raise GameforgeError(f"{folder}: {error.message}") from error


def stored_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of the player in its folder or in the folder of a run, without loading its components.

    Raises GameforgeError if the player is missing, incomplete, altered or of another schema.
    """
    where = player_folder(folder)
    return _settings(where, read_player(where))


def player_folder(folder: Path) -> Path:
    """Return the player's own folder, given that or the folder of a run; GameforgeError if the run has none yet."""
    if (folder / "player").is_dir():
        return folder / "player"
    if (folder / RUN_FILE).is_file():
        raise GameforgeError(f"the run in {folder} has no player yet, because it has not finished")
    return folder


def _settings(folder: Path, stored: StoredPlayer) -> dict[str, Any]:
    try:
        settings = normal(stored.pipeline)
    except GameforgeError as error:
        raise GameforgeError(f"{PLAYER_FORMAT.path(folder)} is damaged: {error}") from error
    if "game" not in settings:
        raise GameforgeError(f"{PLAYER_FORMAT.path(folder)} is damaged: its pipeline has no key 'game'")
    return settings


def player_spec(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a resolved pipeline that describe its player."""
    return {key: settings[key] for key in PLAYER_KEYS if key in settings}


def chosen_player(
    pipeline: Pipeline,
    parts: Parts,
    weights: "NDArray[np.float32] | None",
    name: str,
    features: FeatureMap | None = None,
    settings: Mapping[str, object] | None = None,
) -> Player:
    """Make a player of a pipeline, with the feature map and parameters that a learner chose.

    parts: those of the pipeline. features: replaces the pipeline's feature map; None keeps it. settings: changed
    parameters of its components, by keys such as `searcher.depth`.
    """
    if settings:
        pipeline = pipeline.with_settings(settings)
        parts = pipeline.parts()
    if features is not None:
        parts = parts.with_features(features)
    return Player(parts, weights, name, player_spec(pipeline.settings_with(features)))


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
