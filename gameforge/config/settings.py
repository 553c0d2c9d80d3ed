"""Tables of a pipeline laid over each other: presets, files, flags, single settings."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from gameforge.config.toml import format_value, parse_value
from gameforge.errors import GameforgeError


def merge(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """`override` laid over `base`, table by table; lists are replaced as a whole.

    A table that chooses another component (`use`) drops the keys of the old one.
    """
    chooses_anew = "use" in override and override["use"] != base.get("use")
    merged: dict[str, Any] = {} if chooses_anew else copy.deepcopy(dict(base))
    for key, value in override.items():
        below = merged.get(key)
        if isinstance(value, Mapping):
            merged[key] = merge(below if isinstance(below, Mapping) else {}, value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged


def apply_set(table: Mapping[str, Any], setting: str) -> dict[str, Any]:
    """The table with one more setting, `learner.lambda=0.3`; `oracle.0.pieces=3` reaches into a list.

    The value is TOML, else a bare string. Setting another `use` drops the old component's keys.
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
    return with_value(table, path.strip(), value, f"setting {setting!r}")


def with_value(table: Mapping[str, Any], key: str, value: Any, where: str) -> dict[str, Any]:
    """The table with one more value at a dotted key; `where` begins errors."""
    keys = key.split(".")
    result = copy.deepcopy(dict(table))
    node: Any = result
    for depth, name in enumerate(keys):
        place = ".".join(keys[:depth])
        if not isinstance(node, dict | list):
            raise GameforgeError(f"{where}: {place} = {format_value(node)} is no table, it has no keys")
        at: Any = _index(node, name, place, where) if isinstance(node, list) else name
        if depth < len(keys) - 1:
            node = node[at] if isinstance(node, list) else node.setdefault(at, {})
        else:
            if isinstance(node, dict) and at == "use" and node.get("use") != value:
                node.clear()
            node[at] = value
    return result


def flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of the leaves of tables and of lists of tables."""
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
        allowed = f"{place}.0 to {place}.{len(entries) - 1}" if entries else "it is empty"
        raise GameforgeError(f"{where}: {place} is a list without entry {key!r} ({allowed})")
    return int(key)
