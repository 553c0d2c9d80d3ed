"""Players from folders and into folders, and players that a learner made of a pipeline."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.choices import OraclesChoice, SearcherChoice
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry
from gameforge.storage.player_files import WEIGHTS, StoredPlayer, read_player, write_player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLAYER_KEYS = ("game", "searcher", "evaluator", "oracle")
"""Tables of a pipeline that a player consists of."""


def save_player(folder: Path, player: Player, weights_name: str = WEIGHTS) -> None:
    """Write a player into a folder; an older one there stays valid until the new one is whole."""
    write_player(folder, StoredPlayer(player.name, player.spec, player.weights), weights_name)


def load_player(
    folder: Path,
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
    *,
    searcher: SearcherChoice | None = None,
    oracle: OraclesChoice | None = None,
) -> Player:
    """Read a player back, or the one in the folder of a run.

    announce, workers: as of OracleHandle. searcher, oracle: replace the player's own.
    Raises GameforgeError if the player is missing, torn, altered or of another version.
    """
    return load_players([folder], registry, announce, workers, searcher=searcher, oracle=oracle)[0]


def load_players(
    folders: Iterable[Path],
    registry: Registry,
    announce: Announce = silent,
    workers: int = 1,
    *,
    searcher: SearcherChoice | None = None,
    oracle: OraclesChoice | None = None,
) -> list[Player]:
    """As load_player; players of the same components share them, so that no database is opened twice."""
    replaced = {kind: choice for kind, choice in (("searcher", searcher), ("oracle", oracle)) if choice is not None}
    shared: dict[str, tuple[Parts, dict[str, Any]]] = {}
    players = []
    for folder in folders:
        where = folder / "player" if (folder / "player").is_dir() else folder
        stored = read_player(where)
        tables = json.dumps(stored.pipeline, sort_keys=True)
        if tables not in shared:
            table = {"learner": "none", "oracle": "none"} | dict(stored.pipeline) | replaced
            pipeline = Pipeline(registry=registry, **table)
            spec = player_spec(pipeline.settings) if replaced else dict(stored.pipeline)
            shared[tables] = pipeline.parts(announce, workers), spec
        try:
            players.append(Player(shared[tables][0], stored.weights, stored.name, shared[tables][1]))
        except GameforgeError as error:
            raise GameforgeError(f"{where}: {error}") from error
    return players


def player_spec(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a resolved pipeline that make a player."""
    return {key: settings[key] for key in PLAYER_KEYS if key in settings}


def chosen_player(
    pipeline: Pipeline,
    parts: Parts,
    weights: "NDArray[np.float32] | None",
    name: str,
    features: FeatureMap | None = None,
    settings: Mapping[str, object] | None = None,
) -> Player:
    """A player of a pipeline, whose parts are there, with what a learner chose.

    features: what feeds its net in place of the pipeline's feature map. settings: other parameters of its
    components, by keys as `searcher.depth`.
    """
    if settings:
        pipeline = pipeline.with_settings(settings)
        parts = pipeline.parts()
    if features is not None:
        parts = parts.with_features(features)
    return Player(parts, weights, name, player_spec(pipeline.settings_with(features)))
