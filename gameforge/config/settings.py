"""Merging the settings of a pipeline: presets, files, command-line flags and single values."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from gameforge.config.toml import format_value, parse_value
from gameforge.errors import GameforgeError


def merge(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Merge `override` into a copy of `base`, recursively; lists are replaced as a whole.

    Where `override` selects another component (`use`), the parameters of the old one are dropped.
    """
    other_component = "use" in override and override["use"] != base.get("use")
    merged: dict[str, Any] = {} if other_component else copy.deepcopy(dict(base))
    for key, value in override.items():
        below = merged.get(key)
        if isinstance(value, Mapping):
            merged[key] = merge(below if isinstance(below, Mapping) else {}, value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged


def apply_set(settings: Mapping[str, Any], setting: str) -> dict[str, Any]:
    """Return the settings with one value set, as in `learner.lambda=0.3`; `oracle.0.pieces=3` sets one in a list.

    The value is TOML, or else a bare string. Setting another `use` drops the parameters of the old component.
    Raises GameforgeError if `setting` is not of this form, or if the key leads nowhere.
    """
    path, equals, text = setting.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise GameforgeError(f"setting {setting!r}: expected key.key=value")
    if not text.strip():
        raise GameforgeError(f'setting {setting!r}: the value is missing (write "" for an empty string)')
    try:
        value = parse_value(text)
    except GameforgeError as error:
        raise GameforgeError(f"setting {setting!r}: {error}") from error
    return with_value(settings, path.strip(), value, f"setting {setting!r}")


def with_value(settings: Mapping[str, Any], key: str, value: Any, where: str) -> dict[str, Any]:
    """Return the settings with `value` at a dotted key; error messages begin with `where`."""
    keys = key.split(".")
    result = copy.deepcopy(dict(settings))
    node: Any = result
    for depth, name in enumerate(keys):
        place = ".".join(keys[:depth])
        if not isinstance(node, dict | list):
            raise GameforgeError(f"{where}: {place} = {format_value(node)} is not a table and has no keys")
        at: Any = _index(node, name, place, where) if isinstance(node, list) else name
        if depth < len(keys) - 1:
            node = node[at] if isinstance(node, list) else node.setdefault(at, {})
        else:
            if isinstance(node, dict) and at == "use" and node.get("use") != value:
                node.clear()
            node[at] = value
    return result


def flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted key, value) for each leaf of nested tables and lists of tables."""
    if isinstance(value, Mapping):
        entries = [(str(name), entry) for name, entry in value.items()]
    elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        entries = [(str(i), entry) for i, entry in enumerate(value)]
    else:
        yield key, value
        return
    for name, entry in entries:
        yield from flat(entry, f"{key}.{name}" if key else name)


def _index(entries: list[Any], key: str, place: str, where: str) -> int:
    if not key.isdecimal() or int(key) >= len(entries):
        allowed = f"allowed: {place}.0 to {place}.{len(entries) - 1}" if entries else "the list is empty"
        raise GameforgeError(f"{where}: the list {place} has no entry {key!r}; {allowed}")
    return int(key)
