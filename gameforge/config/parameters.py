"""Parameters of components: created strictly from settings, and converted back.

cattrs dispatches on types. Its lenient defaults (6.9 becomes 6, "no" becomes True, "ab" a list) are
replaced by hooks that accept a value only if it already has the type. Exceptions: an int is accepted for a
float, a TOML list for a tuple, a string for a path, and a string or table for a Spec.
"""

import functools
import re
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

import attrs

from gameforge.config.kinds import Field, rejected_by
from gameforge.config.outside import require_path
from gameforge.config.settings import Json, Spec, format_value
from gameforge.errors import GameforgeError, near

if TYPE_CHECKING:
    from cattrs import Converter


T = TypeVar("T")


def structure(cls: type[T], params: Mapping[str, Json], where: str = "") -> T:
    """Create an instance of the attrs class `cls` with these parameters.

    `where` is the place of the settings in the pipeline, such as `searcher`, for messages. A field `lambda_` is
    written `lambda`. The type of a field may be another attrs class, given as a table, or a tuple of an attrs
    class, given as a list of tables.
    Raises GameforgeError, which names the key, the value and what is allowed.
    """
    prefix = where + "." if where else ""
    fields = _fields_by_key(cls)  # type: ignore[arg-type]  # mypy doubts that classes are hashable
    arguments: dict[str, Json] = {}
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
            if isinstance(value, str) and re.search(r"\w\+[a-z]", value):
                suggestion += "; the parts of a player are separated by ' + ', with blanks"
            allowed = f"must be {describe(field.type)}{suggestion}"
            raise GameforgeError(f"{prefix}{key} = {_shown(value)}: {allowed}") from None
    for key, field in fields.items():
        if field.default is attrs.NOTHING and _argument(field) not in arguments:
            raise GameforgeError(f"{prefix}{key} is missing: must be {describe(field.type)}")
    try:
        return cls(**arguments)
    except (ValueError, TypeError) as error:
        rejected = rejected_by(cls, arguments, error)
        if rejected is not None and rejected.attribute is not None:
            key, value = _key(rejected.attribute), _shown(rejected.value)
            raise GameforgeError(f"{prefix}{key} = {value}: {rejected.requirement}") from error
        if isinstance(error, TypeError):
            raise
        raise GameforgeError(f"{where}: {error}" if where else str(error)) from error


def required(cls: type) -> list[str]:
    """Return the names, in TOML, of the parameters of an attrs class that have no default."""
    return [_key(field) for field in _fields(cls) if field.default is attrs.NOTHING] if attrs.has(cls) else []


def strictly(value: object, kind: Any, where: str) -> Any:
    """The value as this type, as `structure` reads it; GameforgeError that names value and type if it is not of it."""
    try:
        return _converter().structure(value, kind)
    except GameforgeError as error:
        raise GameforgeError(f"{where}: {error}") from error
    except ValueError:
        raise GameforgeError(f"{where} = {_shown(value)}: must be {describe(kind)}") from None


def unstructure(instance: object) -> dict[str, Json]:
    """Return the parameters of an attrs instance as TOML values; parameters that are None are left out.

    structure(type(x), unstructure(x)) == x if every field that can be None has None as its default.
    """
    values = {_key(field): _plain(getattr(instance, field.name)) for field in _fields(type(instance))}
    return {key: value for key, value in values.items() if value is not None}


def changed(instance: object) -> dict[str, Json]:
    """Return those parameters of an attrs instance that differ from their defaults, as TOML values."""
    defaults = {_key(field): _plain(field.default) for field in _fields(type(instance))}
    return {key: value for key, value in unstructure(instance).items() if value != defaults[key]}


def _table(value: object, kind: type) -> object:
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise Mismatch
    return structure(kind, value)


def _fields(cls: type) -> list[Field]:
    """The fields that __init__ takes, with resolved types."""
    return [field for field in attrs.fields(attrs.resolve_types(cls)) if field.init]


@functools.cache
def _fields_by_key(cls: type) -> Mapping[str, Field]:
    """The same by their names in TOML; kept, because thousands of records of games are read."""
    return {_key(field): field for field in _fields(cls)}


def _key(field: Field) -> str:
    """The name in TOML: without the underscore of Python keywords (`lambda_`)."""
    return _argument(field).removesuffix("_")


def _argument(field: Field) -> str:
    return field.alias or field.name


def _plain(value: object) -> object:
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


def _shown(value: object) -> str:
    try:
        text = format_value(_plain(value))
    except TypeError:
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


_WORDS = {bool: "true or false", int: "an integer", float: "a number", str: "a string", Path: "a path"}
_WORDS[Spec] = "a component (name:key=value, or a table with the key 'use')"
_PLURALS = {int: "integers", float: "numbers", str: "strings", Path: "paths"}


class Mismatch(ValueError):
    """The value does not have the type; structure() reports it as a GameforgeError."""


def _is_literal(kind: object) -> bool:
    return get_origin(kind) is Literal


def _is_union(kind: object) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def choices(kind: object) -> list[str]:
    """Return the strings that a Literal, or a union with one, allows."""
    options = get_args(kind) if _is_union(kind) else (kind,)
    values = [value for option in options if _is_literal(option) for value in get_args(option)]
    return [value for value in values if isinstance(value, str)]


def describe(kind: Any) -> str:
    """Describe in words which values a type allows."""
    arguments = get_args(kind)
    if kind in _WORDS:
        return _WORDS[kind]
    if _is_literal(kind):
        return " or ".join(map(repr, arguments))
    if _is_union(kind):
        return " or ".join(describe(option) for option in arguments if option is not types.NoneType)
    if _is_sequence(kind):
        if not arguments:
            return "a list"
        if get_origin(kind) is tuple and arguments[-1] is not Ellipsis:
            return f"a list of {len(arguments)} ({', '.join(map(describe, arguments))})"
        return f"a list of {_PLURALS.get(arguments[0]) or f'values, each {describe(arguments[0])}'}"
    if _is_mapping(kind) or attrs.has(kind):
        return "a table"
    return getattr(kind, "__name__", str(kind))


def _exactly(expected: type) -> Callable[[object, object], object]:
    def hook(value: object, kind: object) -> object:
        if type(value) is not expected:
            raise Mismatch
        return value

    return hook


def _number(value: Any, kind: object) -> float:
    if type(value) not in (int, float):
        raise Mismatch
    try:
        return float(value)
    except OverflowError:
        raise GameforgeError("the number is too large") from None


def _path(value: object, kind: object) -> Path:
    if not isinstance(value, str | Path) or value == "":
        raise Mismatch
    require_path(value)
    return Path(value)


def _spec(value: object, kind: object) -> Spec:
    match value:
        case Spec():
            return value
        case str():
            return Spec.parse(value)
        case Mapping():
            return Spec.from_settings(value)
    raise Mismatch


def _literal(value: object, kind: object) -> object:
    for allowed in get_args(kind):
        if type(value) is type(allowed) and value == allowed:
            return value
    raise Mismatch


def _union(value: object, kind: object) -> object:
    for option in get_args(kind):
        try:
            return _converter().structure(value, option)
        except Mismatch:
            continue
    raise Mismatch


def _is_sequence(kind: object) -> bool:
    return (get_origin(kind) or kind) in (list, tuple, Sequence)


_INTEGERS = tuple[int, ...]


def _sequence(value: object, kind: object) -> object:
    if not isinstance(value, list | tuple):
        raise Mismatch
    if kind == _INTEGERS and set(map(type, value)) <= {int}:  # the moves of thousands of games are read so
        return tuple(value)
    arguments = get_args(kind) or (Any,)
    if (get_origin(kind) or kind) is not tuple:
        return [_converter().structure(item, arguments[0]) for item in value]
    if arguments[-1] is Ellipsis or not get_args(kind):
        return tuple(_converter().structure(item, arguments[0]) for item in value)
    if len(value) != len(arguments):
        raise Mismatch
    return tuple(map(_converter().structure, value, arguments))


def _is_mapping(kind: object) -> bool:
    return (get_origin(kind) or kind) in (dict, Mapping)


def _mapping(value: object, kind: object) -> dict[object, object]:
    if not isinstance(value, Mapping):
        raise Mismatch
    key_kind, value_kind = get_args(kind) or (Any, Any)
    return {_converter().structure(k, key_kind): _converter().structure(v, value_kind) for k, v in value.items()}


@functools.cache
def _converter() -> "Converter":
    """The strict converter. cattrs is imported on first use: commands that read no settings start without it."""
    from cattrs import Converter

    strict = Converter(detailed_validation=False)
    for exact in (bool, int, str, types.NoneType):
        strict.register_structure_hook(exact, _exactly(exact))
    strict.register_structure_hook(float, _number)
    strict.register_structure_hook(Path, _path)
    strict.register_structure_hook(Spec, _spec)
    strict.register_structure_hook_func(_is_literal, _literal)
    strict.register_structure_hook_func(_is_union, _union)
    strict.register_structure_hook_func(_is_sequence, _sequence)
    strict.register_structure_hook_func(_is_mapping, _mapping)
    strict.register_structure_hook_func(attrs.has, _table)
    strict.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)  # Json: any value
    return strict
