"""The limits of a search: parameters that searchers share by name."""

from collections.abc import Mapping
from typing import Any

import attrs

LIMITS = ("depth", "nodes", "simulations", "time")
"""Names of the parameters: plies, positions, simulations and seconds of a search."""


def limit_names(searcher: type[Any]) -> list[str]:
    """Return the names of the limits that a class of searchers has."""
    return [name for name in LIMITS if attrs.has(searcher) and name in attrs.fields_dict(searcher)]


def limited(params: Mapping[str, Any], limits: Mapping[str, float]) -> dict[str, Any]:
    """Return a searcher's parameters with these limits in place of all of its own."""
    return {**{name: value for name, value in params.items() if name not in LIMITS}, **limits}
