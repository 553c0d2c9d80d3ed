"""Validators for parameters: named kinds of checks, and a way to find out which value a validator rejected.

A validator is called with (instance, attribute, value) and raises ValueError or TypeError. Those of this module raise
`Rejected`, which says what is allowed. Parameter classes may also use the validators of attrs, and their own.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from gameforge.config.outside import MOST_NUMBER
from gameforge.errors import GameforgeError, near

if TYPE_CHECKING:
    Field: TypeAlias = attrs.Attribute[Any]
else:
    Field = attrs.Attribute
Validator: TypeAlias = Callable[[Any, Field, Any], None]
"""A validator of attrs."""


class Rejected(GameforgeError):
    """A value that a validator rejected."""

    attribute: Field | None = None
    """The field."""
    value: object = None
    """What was given."""
    requirement = ""
    """What the validator requires, such as `must be a number from 0 to 1`."""

    @classmethod
    def by(cls, attribute: Field, value: object, requirement: str) -> "Rejected":
        """Make the error for a value of this field."""
        error = cls(f"'{attribute.name}' {requirement} (got {value!r})")
        error.attribute, error.value, error.requirement = attribute, value, requirement
        return error

    def __reduce__(self) -> tuple[type[GameforgeError], tuple[str]]:
        """Pickle the sentence alone, because the functions of a field's validators cannot be pickled."""
        return GameforgeError, (self.message,)


@attrs.frozen
class Check:
    """A validator that says in words what it allows."""

    allowed: str
    """What a value must be."""
    allows: Callable[[Any], bool]
    """Whether a value is that."""

    def __call__(self, instance: object, attribute: Field, value: object) -> None:
        if not self.allows(value):
            raise Rejected.by(attribute, value, f"must be {self.allowed}")


class _Unbounded(Check):
    """A check for whole numbers without a limit of its own: kernels and files have room for 63 bits."""

    def __call__(self, instance: object, attribute: Field, value: object) -> None:
        if type(value) is int and value > MOST_NUMBER:
            raise Rejected.by(attribute, value, "must be less than 2^63")
        super().__call__(instance, attribute, value)


def whole(allowed: str, least: int, most: float = math.inf, *, off: bool = False) -> Validator:
    """Make a check for integers from `least` to `most`, and 0 if `off`, in words of its own; see also `count`."""

    def allows(value: object) -> bool:
        return type(value) is int and (least <= value <= most or (off and value == 0))

    return _Unbounded(allowed, allows) if most == math.inf else Check(allowed, allows)


def number(allowed: str, low: float, high: float = math.inf, *, above: bool = False) -> Validator:
    """Make a check for finite numbers from `low` to `high`, without `low` itself if `above`, in words of its own.

    See also `share`, `between` and `positive`.
    """

    def allows(value: float) -> bool:
        return math.isfinite(value) and (low < value if above else low <= value) and value <= high

    return Check(allowed, allows)


def count(least: int, most: int | None = None) -> Validator:
    """Make a check for integers from `least` on, or to `most`."""
    if most is None:
        return whole(f"{least} or more", least)
    return whole(f"a whole number from {least} to {most}", least, most)


def count_or_off(least: int = 1) -> Validator:
    """Make a check for integers from `least` on, and 0, which switches something off."""
    return whole("0 (off) or a whole number" + (f" from {least} on" if least > 1 else ""), least, off=True)


def between(low: float, high: float) -> Validator:
    """Make a check for finite numbers from `low` to `high`; the sentence names both."""
    return number(f"a number from {low:.15g} to {high:.15g}", low, high)


def positive(most: float = math.inf) -> Validator:
    """Make a check for finite numbers above 0, not above `most`."""
    return number("a number above 0" + (f", {most:.15g} at most" if most < math.inf else ""), 0, most, above=True)


within = between
"""Another name of `between`, which API version 1 keeps."""
not_negative = number("0 or more", 0)
"""Check for finite numbers from 0 on."""


def at_least(low: float) -> Validator:
    """Make a check for numbers from `low` on."""
    return Check(f"{low} or more", lambda value: value >= low)


def above(low: float) -> Validator:
    """Make a check for numbers above `low`."""
    return Check(f"above {low}", lambda value: value > low)


share = within(0, 1)
"""Check for numbers from 0 to 1."""


def even(instance: object, attribute: Field, value: int) -> None:
    """Validate that a number of games is even. Use `count` beside it for the limits."""
    if value % 2:
        raise Rejected.by(attribute, value, "must be even, because each opening is played twice")


def joined(names: Sequence[str]) -> Validator:
    """Make a validator for one or several of these names, joined by `+`."""

    def check(instance: object, attribute: Field, value: object) -> None:
        for name in str(value).split("+"):
            if name not in names:
                raise GameforgeError(
                    f"'{attribute.name}' must be one or several of {', '.join(names)}, joined by '+', not {name!r}"
                    f"{near(name, names)}"
                )

    return check


def rejected_by(cls: type, arguments: Mapping[str, object], error: Exception) -> Rejected | None:
    """Return which argument of the attrs class `cls` a validator rejected, if one raised this error.

    The errors of other validators than those of this module carry neither the attribute nor the value. The validators
    are therefore called one by one, as the constructor does, until one raises. Returns None if none does: then the
    constructor failed elsewhere, for instance in `__attrs_post_init__`.
    """
    fields: Iterable[Field] = attrs.fields(cls)
    if isinstance(error, Rejected) and any(error.attribute is field for field in fields):
        return error
    instance = _unchecked(cls, arguments)
    for field in fields:
        value = getattr(instance, field.name, None)
        try:
            if field.validator is not None:
                field.validator(instance, field, value)
        except Rejected as found:
            return found
        except (ValueError, TypeError) as found:
            return Rejected.by(field, value, _requirement(found, field, value))
    return None


def _unchecked(cls: type, arguments: Mapping[str, object]) -> object:
    """Make an instance without validation, since some validators compare attributes."""
    instance: object = object.__new__(cls)
    fields: Iterable[Field] = attrs.fields(cls)
    for field in fields:
        argument = field.alias or field.name
        default: Any = field.default
        if field.init and argument in arguments:
            value = arguments[argument]
        elif default is attrs.NOTHING:
            continue
        elif isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            value = default.factory(instance) if default.takes_self else default.factory()
        else:
            value = default
        converter = field.converter
        object.__setattr__(instance, field.name, converter(value) if callable(converter) else value)
    return instance


def _requirement(error: Exception, field: Field, value: object) -> str:
    """Return what a validator of attrs, or of a plugin, requires: its sentence without the name and the value.

    These sentences read `'NAME' must be ... (got VALUE)`, `'NAME' must be ...: VALUE` or `Length of 'NAME' must be
    ...: LENGTH`; the caller prints name and value itself.
    """
    match error.args:
        case (_, attrs.Attribute(), tuple() | list() as allowed, _):  # of attrs.validators.in_
            texts = [str(one) for one in allowed]
            return f"must be one of {', '.join(texts)}{near(value, texts) if isinstance(value, str) else ''}"
    text = str(error.args[0]) if error.args else "not allowed"
    text, got, _ = text.partition(" (got ")
    if not got:
        shown = len(value) if text.startswith("Length of ") and isinstance(value, Sequence) else value
        text = text.removesuffix(f": {shown!r}")
    return text.removeprefix(f"'{field.name}' ").replace(f"Length of '{field.name}'", "length")
