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
    elo = [112, 20]             # measured over the level below, with half of the 95 % interval

    [fitted.alphabeta]          # parameters of a searcher that were fitted to this player's evaluator
    confidence = 1.1

    [added]                     # to weights that the evaluator names: a number for each of its phases
    "opponent's few discs" = [0.1, 0.2, 0, 0]

Every `alphabeta` that plays with the player's evaluator has the fitted parameters, unless it gives its own. A searcher
inside another one, such as that of `handicap`, does not have them.

The file is written by hand and optional. The folder's manifest and weights stay as the training has saved them.
"""

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.config import NONE, Spec, normal, read_toml, structure
from gameforge.config.outside import require_path
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureMap
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
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
class RankedLevel(Level):
    """One of the levels of a player."""

    elo: tuple[float, float] | None = None
    """Measured Elo over the level below, and half of its 95 % interval; None if it was not measured."""


@attrs.frozen(kw_only=True)
class PlayingSettings(Level):
    """The content of the file."""

    levels: tuple[RankedLevel, ...] = ()
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
    if not os.path.lexists(path):
        return PlayingSettings()
    try:
        return structure(PlayingSettings, read_toml(path))
    except GameforgeError as error:
        raise GameforgeError(f"{path}: {error}") from error


RUN_FILE = "run.json"
"""Manifest of the folder of a run, whose player is written at its end."""
GENERATIONS = "generations"
"""Folder in the folder of a run, with the players that the training kept."""


def save_player(folder: Path, player: Player, weights_name: str = WEIGHTS) -> None:
    """Write a player into a folder; weights_name as for `write_player`."""
    vector = player.parts.vector
    layout = "" if vector is None else vector.layout
    write_player(folder, StoredPlayer(player.name, player.spec, player.weights, layout), weights_name)


@attrs.frozen(kw_only=True, eq=False)
class SavedPlayer:
    """A saved or trained player, as read from its folder; none of its components are loaded yet."""

    folder: Path
    """The player's own folder."""
    stored: StoredPlayer
    """The content of the folder, with the weights."""
    settings: Mapping[str, Any]
    """Settings of the pipeline from which it was saved, in normal form."""
    playing: PlayingSettings
    """The content of player.toml."""
    who: str
    """Names the player in errors about its levels."""

    @property
    def game(self) -> str | None:
        """The game that it plays, as a component string; None if the folder names none."""
        return named_game(self.settings)

    def at(self, level: int | None) -> dict[str, Any]:
        """Return the settings that replace the saved ones at a level; GameforgeError if there is no such level."""
        return self.playing.at(level, self.who)


def named_game(settings: Mapping[str, Any]) -> str | None:
    """Return the game of normalized settings as a component string; None if they name none."""
    game = settings.get("game", NONE)
    return None if game == NONE else str(Spec.from_settings(game, "game"))


def read_saved(folder: Path, who: str = "") -> SavedPlayer:
    """Read a player from its folder or from the folder of a run.

    who: names the player in errors about its levels; "": by its folder. Raises GameforgeError if the player is missing,
    incomplete, altered or of another schema, or if its file player.toml is wrong.
    """
    where = player_folder(folder)
    stored, playing = read_player(where), playing_settings(where)
    try:
        settings = normal(stored.pipeline)
    except GameforgeError as error:
        raise GameforgeError(f"{PLAYER_FORMAT.path(where)} is damaged: {error}") from error
    if "game" not in settings:
        raise GameforgeError(f"{PLAYER_FORMAT.path(where)} is damaged: its pipeline has no key 'game'")
    return SavedPlayer(
        folder=where, stored=stored, settings=settings, playing=playing, who=who or f"the player in {where}"
    )


def player_folder(folder: Path) -> Path:
    """Return the player's own folder, given that or the folder of a run; GameforgeError if the run has none yet."""
    require_path(folder)
    if (folder / "player").is_dir():
        return folder / "player"
    if (folder / RUN_FILE).is_file():
        raise GameforgeError(f"the run in {folder} has no player yet, because it has not finished")
    return folder


def players_in(folder: Path) -> list[Path]:
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
    return Player(parts, weights, name, pipeline.settings_with(features))
