"""Reading and writing TOML: files, single values and whole documents."""

import contextlib
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from gameforge.config.outside import MOST_SETTINGS, read_file
from gameforge.errors import GameforgeError

Json: TypeAlias = object
"""A value of TOML or JSON: a truth value, a number, a string, a date, a list or a table."""
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(path: str | Path) -> dict[str, Json]:
    """Read a TOML file; raises GameforgeError if it is missing, cannot be read or is not valid TOML."""
    path = Path(path)
    try:
        return tomllib.loads(read_file(path, MOST_SETTINGS).decode("utf-8-sig"))  # Windows editors begin with a mark
    except FileNotFoundError:
        raise GameforgeError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise GameforgeError(f"{path} is a folder, not a TOML file") from None
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise GameforgeError(f"{path} is not a TOML file: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise GameforgeError(f"{path} is not valid TOML: {error}") from error


@contextlib.contextmanager
def in_file(path: str | Path) -> Iterator[None]:
    """Let an error of the block begin with the name of the file, unless it contains it already."""
    try:
        yield
    except GameforgeError as error:
        if str(path) in error.message:
            raise
        raise type(error)(f"{path}: {error.message}", advice=error.advice, parameter=error.parameter) from error


def parse_value(text: str) -> Json:
    """Parse a TOML boolean, number, quoted string, array or inline table; return any other text unchanged.

    Raises GameforgeError for text that begins like a string, array or table but is not valid TOML.
    """
    text = text.strip()
    quoted = text[:1] in ('"', "'", "[", "{")
    try:
        table = tomllib.loads(f"value = {text}")
    except ValueError as error:  # also numbers with more digits than int() takes
        if quoted:
            raise GameforgeError(f"{text} is not a TOML value: {error}") from error
        return text
    value = table["value"]
    if len(table) == 1 and (quoted or (isinstance(value, bool | int | float) and "#" not in text)):
        return value
    return text


def format_value(value: object) -> str:
    """Format a value as TOML on one line; dictionaries become inline tables, without the entries that are None."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value) if math.isfinite(value) else str(value)
        case str():
            # JSON escapes are TOML escapes; DEL is the one character that only TOML wants escaped.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(map(format_value, value))}]"
        case Mapping():
            return "{" + ", ".join(f"{_key(k)} = {format_value(v)}" for k, v in value.items() if v is not None) + "}"
    raise TypeError(f"TOML has no value for {value!r}")


def dump_toml(table: Mapping[str, Json]) -> str:
    """Write a dictionary of booleans, numbers, strings, lists and dictionaries as a TOML document.

    Keys whose value is None are left out.
    """
    return "\n".join(_lines(table, "")).lstrip("\n") + "\n"


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else format_value(key)


def _tables(value: object) -> Sequence[Mapping[str, Json]]:
    """The tables that a value consists of: itself, or its items; none for any other value."""
    if isinstance(value, Mapping):
        return [value]
    return value if isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value) else ()


def _lines(table: Mapping[str, Json], prefix: str) -> Iterator[str]:
    """Yield plain keys first: after the header of a sub-table they would belong to it."""
    nested = {key: tables for key, value in table.items() if (tables := _tables(value))}
    for key, value in table.items():
        if key not in nested and value is not None:
            yield f"{_key(key)} = {format_value(value)}"
    for key, tables in nested.items():
        path = prefix + _key(key)
        for item in tables:
            yield from ("", f"[{path}]" if isinstance(table[key], Mapping) else f"[[{path}]]")
            yield from _lines(item, path + ".")
