"""Pipelines by name: a TOML file, the folder of a run, or a preset."""

from pathlib import Path
from typing import Any

from gameforge.config import read_toml
from gameforge.errors import GameforgeError, near
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
