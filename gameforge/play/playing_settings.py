"""How the player of a folder plays, in its file player.toml: searcher, oracles and levels.

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
inside another one, such as that of `handicap`, has not.

The file is written by hand and optional. The folder's manifest and weights stay as the training has saved them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import Spec, read_toml, structure
from gameforge.errors import GameforgeError
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.plugins.registry import Registry

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
