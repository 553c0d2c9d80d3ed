"""Validators for parameters, and a way to find out which value a validator rejected.

Parameter classes may use these validators, those of attrs, and their own. A validator is called with
(instance, attribute, value) and raises ValueError or TypeError.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from gameforge.errors import GameforgeError, near

Validator = Callable[[object, "attrs.Attribute[Any]", Any], None]
"""A validator of attrs."""


def whole(allowed: str, least: int, most: float = math.inf, *, off: bool = False) -> Validator:
    """Make a validator for integers from `least` to `most`, and 0 if `off`; `allowed` describes them in errors."""

    def check(instance: object, attribute: "attrs.Attribute[int]", value: object) -> None:
        if not (type(value) is int and (least <= value <= most or (off and value == 0))):
            raise GameforgeError(f"'{attribute.name}' must be {allowed} (got {value!r})")

    return check


def number(allowed: str, low: float, high: float = math.inf, *, above: bool = False) -> Validator:
    """Make a validator for finite numbers from `low` to `high`, without `low` itself if `above`."""

    def check(instance: object, attribute: "attrs.Attribute[float]", value: float) -> None:
        if not (math.isfinite(value) and (low < value if above else low <= value) and value <= high):
            raise GameforgeError(f"'{attribute.name}' must be {allowed} (got {value!r})")

    return check


def even(instance: object, attribute: "attrs.Attribute[Any]", value: int) -> None:
    """Validate that a number of games is even. Use `whole` beside it for the limits."""
    if value % 2:
        raise GameforgeError(f"'{attribute.name}' must be even, because each opening is played twice (got {value!r})")


def joined(names: Sequence[str]) -> Validator:
    """Make a validator for one or several of these names, joined by `+`."""

    def check(instance: object, attribute: "attrs.Attribute[str]", value: object) -> None:
        for name in str(value).split("+"):
            if name not in names:
                raise GameforgeError(
                    f"'{attribute.name}' must be one or several of {', '.join(names)}, joined by '+', not {name!r}"
                    f"{near(name, names)}"
                )

    return check


@attrs.frozen
class Rejected:
    """A value that a validator rejected."""

    attribute: "attrs.Attribute[Any]"
    """The attrs field of the parameter."""
    value: Any
    """What was given."""
    requirement: str
    """What the validator requires, such as `must be >= 1`, without the attribute's name and value."""


def first_rejected(cls: type, arguments: Mapping[str, Any]) -> Rejected | None:
    """Find the first argument that a validator of the attrs class `cls` rejects.

    A validator's exception carries neither the attribute nor the value. This function calls the validators one by
    one, as the constructor does, until one raises. Returns None if none does: then the constructor failed
    elsewhere, for instance in `__attrs_post_init__`.
    """
    instance = _unchecked(cls, arguments)
    for attribute in attrs.fields(cls):
        value = getattr(instance, attribute.name, None)
        try:
            if attribute.validator is not None:
                attribute.validator(instance, attribute, value)
        except (ValueError, TypeError) as error:
            return Rejected(attribute, value, _requirement(error, attribute, value))
    return None


def _unchecked(cls: Any, arguments: Mapping[str, Any]) -> Any:
    """Make an instance without validation, since some validators compare attributes."""
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
    """Strip the attribute's name and value, which the caller prints itself, from a validator's message."""
    text = str(error.args[0]) if error.args else "not allowed"
    text = re.sub(rf"^Length of '{attribute.name}' (.*): \d+$", r"length \1", text)
    text = text.removeprefix(f"'{attribute.name}' ").removesuffix(f": {value!r}")
    return re.sub(r" \(got .*\)\.?$", "", text, flags=re.DOTALL)
