"""Where the table of a pipeline comes from when somebody names it: a file, the folder of a run, or a preset."""

from pathlib import Path
from typing import Any

from gameforge.config import read_toml
from gameforge.errors import GameforgeError, near
from gameforge.plugins.registry import Registry


def pipeline_source(registry: Registry, source: str) -> dict[str, Any]:
    """The table: of a path or .toml first, else of a preset; GameforgeError if it is neither or both."""
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
