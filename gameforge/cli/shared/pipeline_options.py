"""The settings of a pipeline from a file or preset, flags, and --set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gameforge.config import apply_set, merge, spec_from_settings
from gameforge.config.toml import in_file
from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import normal
from gameforge.play.pipeline_source import default_preset, pipeline_source
from gameforge.plugins.registry import Registry


def pipeline_from(
    registry: Registry, source: str | None, flags: Mapping[str, Any], settings: Sequence[str]
) -> Pipeline:
    """Make the pipeline of a source, flags and single settings, as `pipeline_settings` merges them.

    An error that the file has by itself, without flags and settings, begins with the name of the file.
    """
    try:
        return Pipeline.from_settings(pipeline_settings(registry, source, flags, settings), registry)
    except GameforgeError as error:
        if source is not None and Path(source).exists() and _has_by_itself(registry, source, error):
            with in_file(source):
                raise
        raise


def _has_by_itself(registry: Registry, source: str, error: GameforgeError) -> bool:
    """Return whether the source fails with the same message without flags and settings."""
    try:
        Pipeline.from_settings(pipeline_settings(registry, source, {}, ()), registry)
    except GameforgeError as alone:
        return alone.message == error.message
    return False


def pipeline_settings(
    registry: Registry, source: str | None, flags: Mapping[str, Any], settings: Sequence[str]
) -> dict[str, Any]:
    """Merge the source (a folder, a TOML file or a preset), the flags, and single settings (KEY=VALUE), in this order.

    Single settings can change the defaults of the game, so the defaults are merged in first if there are any settings.
    """
    merged = normal(pipeline_source(registry, source)) if source else {}
    merged = merge(merged, normal({key: value for key, value in flags.items() if value is not None}))
    if settings:
        merged = merge(_defaults(registry, merged), merged)
        for setting in settings:
            merged = normal(apply_set(merged, setting))
    return merged


def _defaults(registry: Registry, settings: dict[str, Any]) -> dict[str, Any]:
    if "game" not in settings:
        return {}
    game = Game(registry.create("rules", spec_from_settings(settings["game"], "game")))
    preset = default_preset(registry, game.rules, settings)
    return normal(registry.preset(preset)) if preset else {}
