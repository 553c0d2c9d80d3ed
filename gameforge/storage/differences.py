"""Comparison of nested settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.config import flat


def differences(settings: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the dotted keys in which settings differ, each with its value in every one of them; None if missing.

    Lists of mappings are compared entry by entry. An empty list counts as equal to a missing one.
    """
    leaves = [dict(flat(one)) for one in settings]
    keys = dict.fromkeys(key for one in leaves for key in one)
    values = {key: [one.get(key) for one in leaves] for key in keys}
    return {
        key: found
        for key, found in values.items()
        if any(value != found[0] for value in found) and any(value not in (None, []) for value in found)
    }
