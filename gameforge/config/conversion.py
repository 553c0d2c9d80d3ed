"""Strict conversion of values to the types of parameters, and a description of each type for messages.

cattrs dispatches on types. Its lenient defaults (6.9 becomes 6, "no" becomes True, "ab" a list) are
replaced by hooks that accept a value only if it already has the type. Exceptions: an int is accepted for a
float, a TOML list for a tuple, a string for a path, and a string or table for a Spec.
"""

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import attrs

from gameforge.config.spec import Spec, parse_spec, spec_from_settings
from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    from cattrs import Converter

_WORDS = {bool: "true or false", int: "an integer", float: "a number", str: "a string", Path: "a path"}
_WORDS[Spec] = "a component (name:key=value, or a table with the key 'use')"
_PLURALS = {int: "integers", float: "numbers", str: "strings", Path: "paths"}


class Mismatch(ValueError):
    """The value does not have the type; structure() reports it as a GameforgeError."""


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def choices(kind: Any) -> list[str]:
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


def _exactly(expected: type) -> Callable[[Any, Any], Any]:
    def hook(value: Any, kind: Any) -> Any:
        if type(value) is not expected:
            raise Mismatch
        return value

    return hook


def _number(value: Any, kind: Any) -> float:
    if type(value) not in (int, float):
        raise Mismatch
    try:
        return float(value)
    except OverflowError:
        raise GameforgeError("the number is too large") from None


def _path(value: Any, kind: Any) -> Path:
    if not isinstance(value, str | Path) or value == "":
        raise Mismatch
    return Path(value)


def _spec(value: Any, kind: Any) -> Spec:
    match value:
        case Spec():
            return value
        case str():
            return parse_spec(value)
        case Mapping():
            return spec_from_settings(value)
    raise Mismatch


def _literal(value: Any, kind: Any) -> Any:
    for allowed in get_args(kind):
        if type(value) is type(allowed) and value == allowed:
            return value
    raise Mismatch


def _union(value: Any, kind: Any) -> Any:
    for option in get_args(kind):
        try:
            return converter().structure(value, option)
        except Mismatch:
            continue
    raise Mismatch


def _is_sequence(kind: Any) -> bool:
    return (get_origin(kind) or kind) in (list, tuple, Sequence)


def _sequence(value: Any, kind: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise Mismatch
    arguments = get_args(kind) or (Any,)
    if (get_origin(kind) or kind) is not tuple:
        return [converter().structure(item, arguments[0]) for item in value]
    if arguments[-1] is Ellipsis or not get_args(kind):
        return tuple(converter().structure(item, arguments[0]) for item in value)
    if len(value) != len(arguments):
        raise Mismatch
    return tuple(map(converter().structure, value, arguments))


def _is_mapping(kind: Any) -> bool:
    return (get_origin(kind) or kind) in (dict, Mapping)


def _mapping(value: Any, kind: Any) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise Mismatch
    key_kind, value_kind = get_args(kind) or (Any, Any)
    return {converter().structure(k, key_kind): converter().structure(v, value_kind) for k, v in value.items()}


@functools.cache
def converter() -> "Converter":
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
    return strict
