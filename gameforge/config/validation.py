"""Validators of parameters, and what a validator refused.

Parameter classes may use these validators, those of attrs, and their own; each is called with
(instance, attribute, value) and raises ValueError or TypeError.
"""

import math
import re
from collections.abc import Mapping, Sequence
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


@attrs.frozen
class Refusal:
    """A value that a validator refused."""

    attribute: "attrs.Attribute[Any]"
    value: Any
    requirement: str
    """What the validator asks for, as `must be >= 1`; without the attribute's name and value."""


def first_refusal(cls: type, arguments: Mapping[str, Any]) -> Refusal | None:
    """Find the value for which an attrs class refuses these arguments of its constructor.

    What a validator raises says neither which attribute it was called for nor with which value. This calls the
    validators one by one, as the constructor does, until one refuses. None: no validator does, so that the
    constructor failed elsewhere, as in `__attrs_post_init__`.
    """
    instance = _unchecked(cls, arguments)
    for attribute in attrs.fields(cls):
        value = getattr(instance, attribute.name, None)
        try:
            if attribute.validator is not None:
                attribute.validator(instance, attribute, value)
        except (ValueError, TypeError) as error:
            return Refusal(attribute, value, _requirement(error, attribute, value))
    return None


def _unchecked(cls: Any, arguments: Mapping[str, Any]) -> Any:
    """An instance that no validator has seen: some validators compare attributes."""
    instance = cls.__new__(cls)
    for attribute in attrs.fields(cls):
        argument = attribute.alias or attribute.name
        default: Any = attribute.default
        if attribute.init and argument in arguments:
            value = arguments[argument]
        elif default is attrs.NOTHING:
            continue
        elif isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            value = default.factory(instance) if default.takes_self else default.factory()
        else:
            value = default
        converter: Any = attribute.converter
        object.__setattr__(instance, attribute.name, value if converter is None else converter(value))
    return instance


def _requirement(error: BaseException, attribute: "attrs.Attribute[Any]", value: Any) -> str:
    """The message of attrs' validators holds the name and the value, which the sentence about it has already."""
    text = str(error.args[0]) if error.args else "not allowed"
    text = re.sub(rf"^Length of '{attribute.name}' (.*): \d+$", r"length \1", text)
    text = text.removeprefix(f"'{attribute.name}' ").removesuffix(f": {value!r}")
    return re.sub(r" \(got .*\)\.?$", "", text, flags=re.DOTALL)
