"""The settings of a pipeline: their normal form, and where they come from.

In normal form, settings are merged, compared and saved. They come from a TOML file, the folder of a run, or a preset,
which may be the game's default.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gameforge.config import Spec, parse_spec, read_toml
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.capabilities import Defaults, capability
from gameforge.interfaces.rules import Rules

NONE = "none"
"""In place of a component: leave out this kind."""
KEYS = ("game", "seed", "searcher", "features", "evaluator", "learner", "oracle")
"""The keys of a pipeline's settings."""


def normal(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Normalize a pipeline's settings: a dictionary per component, a list of oracles, features inside the evaluator.

    NONE stands for a kind that is left out. Raises GameforgeError for unknown keys and for invalid values.
    """
    result: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in KEYS:
            raise GameforgeError(f"pipeline: no such key {key!r}{near(key, KEYS)}; allowed: {', '.join(KEYS)}")
        if key == "seed":
            check_seed(value)
            result[key] = value
        elif key == "oracle":
            entries = [] if value in (NONE, None) else value if isinstance(value, list) else [value]
            result[key] = [_as_settings(entry, f"oracle.{i}") for i, entry in enumerate(entries)]
        else:
            result[key] = _as_settings_or_none(value, key)
    features = result.pop("features", None)
    evaluator = result.get("evaluator", {})
    if evaluator == NONE:
        if features not in (None, NONE):
            raise GameforgeError(f"pipeline: features {features['use']} need an evaluator, but the evaluator is 'none'")
    elif features is not None:
        result["evaluator"] = evaluator | {"features": features}
    elif "features" in evaluator:
        named = _as_settings_or_none(evaluator["features"], "evaluator.features")
        result["evaluator"] = evaluator | {"features": named}
    return result


def check_seed(seed: object) -> None:
    """Raise GameforgeError unless this is a valid seed, an integer from 0 to 2^63 - 1."""
    if type(seed) is not int or not 0 <= seed < 1 << 63:
        raise GameforgeError(f"seed = {seed!r}: must be an integer from 0 to 2^63 - 1")


def _as_settings_or_none(value: object, where: str) -> dict[str, Any] | str:
    return NONE if value in (NONE, None) else _as_settings(value, where)


def _as_settings(value: object, where: str) -> dict[str, Any]:
    if isinstance(value, Spec):
        return value.settings()
    if isinstance(value, str):
        return parse_spec(value).settings()
    if isinstance(value, Mapping):
        return dict(value)
    raise GameforgeError(f"{where} = {value!r}: must be a component (name:key=value, or a table with the key 'use')")


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
