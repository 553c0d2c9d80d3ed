"""From flags, a file or preset, and --set to the table of a pipeline."""

from collections.abc import Sequence
from typing import Any

from gameforge.config import apply_set, merge, spec_from_settings
from gameforge.play.game import Game
from gameforge.play.pipeline_settings import normal
from gameforge.play.pipeline_source import pipeline_source
from gameforge.plugins.registry import Registry


def pipeline_settings(
    registry: Registry, source: str | None, flags: dict[str, Any], settings: Sequence[str]
) -> dict[str, Any]:
    """The source (a path or .toml first, else a preset), then flags, then settings, laid over each other.

    Settings reach into the defaults of the game, so those are merged in where there are settings.
    """
    table = normal(pipeline_source(registry, source)) if source else {}
    table = merge(table, normal({key: value for key, value in flags.items() if value is not None}))
    if settings:
        table = merge(_defaults(registry, table), table)
        for setting in settings:
            table = normal(apply_set(table, setting))
    return table


def _defaults(registry: Registry, table: dict[str, Any]) -> dict[str, Any]:
    if "game" not in table:
        return {}
    game = Game(registry.create("rules", spec_from_settings(table["game"], "game")))
    return normal(registry.preset(game.defaults.preset)) if game.defaults.preset else {}
