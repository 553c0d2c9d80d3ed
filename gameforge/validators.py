"""Validators of parameters that several plugins have."""

import math
from typing import Any

import attrs

from gameforge.errors import GameforgeError


def whole(allowed: str, least: int, most: float = math.inf, *, off: bool = False) -> Any:
    """Validator: a whole number from `least` to `most`, or 0 if the rule can be switched off."""

    def check(instance: Any, attribute: "attrs.Attribute[int]", value: Any) -> None:
        if not (type(value) is int and (least <= value <= most or (off and value == 0))):
            raise GameforgeError(f"'{attribute.name}' must be {allowed}: {value!r}")

    return check
