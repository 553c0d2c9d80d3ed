"""From flags, a file or preset, and --set to the table of a pipeline."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gameforge.config import apply_set, merge, read_toml
from gameforge.errors import GameforgeError, near
from gameforge.pipeline import normal
from gameforge.registry import Registry
from gameforge.rules import HasPreset


def pipeline_table(
    registry: Registry, source: str | None, flags: dict[str, Any], settings: Sequence[str]
) -> dict[str, Any]:
    """The source (a path or .toml first, else a preset), then flags, then settings, laid over each other.

    Settings reach into the defaults of the game, so those are merged in where there are settings.
    """
    table = normal(_source(registry, source)) if source else {}
    table = merge(table, normal({key: value for key, value in flags.items() if value is not None}))
    if settings:
        table = merge(_defaults(registry, table), table)
        for setting in settings:
            table = normal(apply_set(table, setting))
    return table


def _source(registry: Registry, source: str) -> dict[str, Any]:
    path = Path(source)
    is_preset = source in registry.names("preset")
    if path.exists() or source.endswith(".toml"):
        if is_preset:
            raise GameforgeError(f"{source!r} is a file here and a preset; write ./{source} for the file")
        if (path / "pipeline.toml").is_file():
            path = path / "pipeline.toml"
        return read_toml(path)
    if not is_preset:
        names = registry.names("preset")
        raise GameforgeError(
            f"{source!r} is no file, folder or preset{near(source, names)}; presets: {', '.join(names) or 'none'}"
        )
    return registry.preset(source)


def _defaults(registry: Registry, table: dict[str, Any]) -> dict[str, Any]:
    from gameforge.config import spec_from_table

    if "game" not in table:
        return {}
    rules = registry.create("rules", spec_from_table(table["game"], "game"))
    return normal(registry.preset(rules.preset)) if isinstance(rules, HasPreset) else {}
