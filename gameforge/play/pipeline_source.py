"""Pipelines by name: a TOML file, the folder of a run, or a preset, which may be the game's default."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gameforge.config import read_toml
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.capabilities import Defaults, capability
from gameforge.interfaces.rules import Rules
from gameforge.plugins.registry import Registry


def pipeline_source(registry: Registry, source: str) -> dict[str, Any]:
    """Read the settings of the pipeline that `source` names: a path if it exists or ends in .toml, else a preset.

    Raises GameforgeError if it is neither or both, or if the file cannot be read.
    """
    path = Path(source)
    is_preset = source in registry.names("preset")
    if path.exists() or source.endswith(".toml"):
        if is_preset:
            raise GameforgeError(f"{source!r} is both a path and a preset; write ./{source} for the path")
        if (path / "pipeline.toml").is_file():
            path = path / "pipeline.toml"
        return read_toml(path)
    if not is_preset:
        names = registry.names("preset")
        raise GameforgeError(
            f"{source!r} is not a file, folder or preset{near(source, names)}; presets: {', '.join(names) or 'none'}"
        )
    return registry.preset(source)


def default_preset(registry: Registry, rules: Rules, settings: Mapping[str, Any]) -> str | None:
    """Return the preset with which a pipeline of these rules begins: that of the game, else that of a plugin.

    `settings`: the pipeline's own, in normal form. A plugin's preset for any game is a pipeline as a whole. It does not
    complete one that names components: what is missing there is reported, and a search gets no untrained net.
    """
    if any(kind in settings for kind in ("searcher", "evaluator", "learner")):
        own: Defaults | None = capability(rules, "defaults")
        return own.preset if own else None
    return registry.defaults(rules).preset
