"""Validators of parameters that several plugins have."""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from gameforge.errors import GameforgeError, near


def whole(allowed: str, least: int, most: float = math.inf, *, off: bool = False) -> Any:
    """Validator: a whole number from `least` to `most`, or 0 if the rule can be switched off."""

    def check(instance: Any, attribute: "attrs.Attribute[int]", value: Any) -> None:
        if not (type(value) is int and (least <= value <= most or (off and value == 0))):
            raise GameforgeError(f"'{attribute.name}' must be {allowed}: {value!r}")

    return check


def number(allowed: str, low: float, high: float = math.inf, *, above: bool = False) -> Any:
    """Validator: a finite number from `low`, or above it, to `high`."""

    def check(instance: Any, attribute: "attrs.Attribute[float]", value: Any) -> None:
        if not (math.isfinite(value) and (low < value if above else low <= value) and value <= high):
            raise GameforgeError(f"'{attribute.name}' must be {allowed}: {value!r}")

    return check


def joined(names: Sequence[str]) -> Any:
    """Validator: one or several of these names, joined by `+`."""

    def check(instance: Any, attribute: "attrs.Attribute[str]", value: Any) -> None:
        for name in str(value).split("+"):
            if name not in names:
                raise GameforgeError(
                    f"'{attribute.name}' must be one or several of {', '.join(names)}, joined by '+', not {name!r}"
                    f"{near(name, names)}"
                )

    return check
