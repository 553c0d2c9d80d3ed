"""Parameters of components: created strictly from settings, and converted back."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from gameforge.config.conversion import Mismatch, choices, converter, describe
from gameforge.config.spec import Spec
from gameforge.config.toml import format_value
from gameforge.config.validation import first_rejected
from gameforge.errors import GameforgeError, near

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")


def structure(cls: type[T], params: Mapping[str, Any], where: str = "") -> T:
    """Create an instance of the attrs class `cls` with these parameters.

    `where` is the place of the settings in the pipeline, such as `searcher`, for messages. A field `lambda_` is
    written `lambda`. The type of a field may be another attrs class, given as a table, or a tuple of an attrs
    class, given as a list of tables.
    Raises GameforgeError, which names the key, the value and what is allowed.
    """
    prefix = where + "." if where else ""
    fields = {_key(field): field for field in _fields(cls)}
    arguments: dict[str, Any] = {}
    for key, value in params.items():
        if key not in fields:
            allowed = f"allowed: {', '.join(fields)}" if fields else "none are allowed"
            raise GameforgeError(f"{prefix}{key}: no such parameter{near(key, fields)}; {allowed}")
        field = fields[key]
        try:
            arguments[_argument(field)] = value if field.type is None else _converter().structure(value, field.type)
        except GameforgeError as error:
            raise GameforgeError(f"{prefix}{key}: {error}") from error
        except ValueError:
            suggestion = near(value, choices(field.type)) if isinstance(value, str) else ""
            allowed = f"must be {describe(field.type)}{suggestion}"
            raise GameforgeError(f"{prefix}{key} = {_shown(value)}: {allowed}") from None
    for key, field in fields.items():
        if field.default is attrs.NOTHING and _argument(field) not in arguments:
            raise GameforgeError(f"{prefix}{key} is missing: must be {describe(field.type)}")
    try:
        return cls(**arguments)
    except (ValueError, TypeError) as error:
        rejected = first_rejected(cls, arguments)
        if rejected is not None:
            key, value = _key(rejected.attribute), _shown(rejected.value)
            raise GameforgeError(f"{prefix}{key} = {value}: {rejected.requirement}") from error
        if isinstance(error, TypeError):
            raise
        raise GameforgeError(f"{where}: {error}" if where else str(error)) from error


def strictly(value: Any, kind: Any, where: str) -> Any:
    """The value as this type, as `structure` reads it; GameforgeError that names value and type if it is not of it."""
    try:
        return _converter().structure(value, kind)
    except GameforgeError as error:
        raise GameforgeError(f"{where}: {error}") from error
    except ValueError:
        raise GameforgeError(f"{where} = {_shown(value)}: must be {describe(kind)}") from None


def unstructure(instance: Any) -> dict[str, Any]:
    """Return the parameters of an attrs instance as TOML values; parameters that are None are left out.

    structure(type(x), unstructure(x)) == x if every field that can be None has None as its default.
    """
    values = {_key(field): _plain(getattr(instance, field.name)) for field in _fields(type(instance))}
    return {key: value for key, value in values.items() if value is not None}


def changed(instance: Any) -> dict[str, Any]:
    """Return those parameters of an attrs instance that differ from their defaults, as TOML values."""
    defaults = {_key(field): _plain(field.default) for field in _fields(type(instance))}
    return {key: value for key, value in unstructure(instance).items() if value != defaults[key]}


def _table(value: Any, kind: Any) -> Any:
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise Mismatch
    return structure(kind, value)


@functools.cache
def _converter() -> "Converter":
    """The strict converter, which also knows the attrs classes of parameters."""
    converter().register_structure_hook_func(attrs.has, _table)
    return converter()


def _fields(cls: Any) -> "list[attrs.Attribute[Any]]":
    """The fields that __init__ takes, with resolved types."""
    return [field for field in attrs.fields(attrs.resolve_types(cls)) if field.init]


def _key(field: "attrs.Attribute[Any]") -> str:
    """The name in TOML: without the underscore of Python keywords (`lambda_`)."""
    return _argument(field).removesuffix("_")


def _argument(field: "attrs.Attribute[Any]") -> str:
    return field.alias or field.name


def _plain(value: Any) -> Any:
    match value:
        case Spec():
            return _plain(value.settings())
        case Path():
            return str(value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case Mapping():
            return {key: _plain(item) for key, item in value.items() if item is not None}
    return unstructure(value) if attrs.has(type(value)) else value


def _shown(value: Any) -> str:
    try:
        text = format_value(_plain(value))
    except TypeError:
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
