"""Save players into folders, load them, and make players with what a learner chose."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NamedWeights
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.choices import OraclesChoice, RulesChoice, SearcherChoice
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.play.player import Player
from gameforge.play.playing_settings import PLAYING, PlayingSettings, playing_settings
from gameforge.plugins.registry import Registry
from gameforge.storage.player_files import PLAYER_FORMAT, WEIGHTS, StoredPlayer, read_player, write_player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLAYER_KEYS = ("game", "searcher", "evaluator", "oracle")
"""Keys of a pipeline's settings that describe a player."""
RUN_FILE = "run.json"
"""Manifest of the folder of a run, whose player is written at its end."""


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
