"""In which keys nested settings differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.config import flat


def differences(settings: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Map each dotted key whose values are not all alike to its value in each of the settings, None where missing.

    An empty list and a missing one are alike: for a list of mappings the entries are compared.
    """
    leaves = [dict(flat(one)) for one in settings]
    keys = dict.fromkeys(key for one in leaves for key in one)
    values = {key: [one.get(key) for one in leaves] for key in keys}
    return {
        key: found
        for key, found in values.items()
        if any(value != found[0] for value in found) and any(value not in (None, []) for value in found)
    }
