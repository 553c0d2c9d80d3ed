"""Settings: the name and the parameters of a component (Spec), how settings are merged, and their TOML.

Settings of a pipeline come from presets, files, command-line flags and single values.
"""

import contextlib
import copy
import datetime
import functools
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import attrs

from gameforge.config.outside import MOST_TOML, read_file, require_shallow
from gameforge.errors import GameforgeError, near

Json: TypeAlias = object
"""A value of TOML or JSON: a truth value, a number, a string, a date, a list or a table."""
_NAME = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?")
_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_-]*)\s*=\s*")
_QUOTED = {'"': re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL), "'": re.compile(r"'[^']*'")}
_BARE = re.compile(r"[\w./+-]+")


def _copied(params: Mapping[str, Json]) -> dict[str, Json]:
    return dict(params)


@attrs.frozen
class Spec:
    """A component's name and its parameters, which are not checked here."""

    use: str
    """Name in the registry, plain or as `plugin/name`."""
    params: Mapping[str, Json] = attrs.field(factory=dict, converter=_copied)
    """Its parameters, by name."""

    @classmethod
    def parse(cls, text: str) -> "Spec":
        """Parse `name:key=value,key=value`. Values are TOML, or else bare strings; quote strings with commas or colons.

        Raises GameforgeError with the position of the first mistake.
        """

        def fail(position: int, what: str) -> NoReturn:
            raise GameforgeError(f"component {text!r}, character {position + 1}: {what} (name:key=value,key=value)")

        name = text.partition(":")[0]
        if not _NAME.fullmatch(name):
            bad = _NAME.match(name)
            fail(bad.end() if bad else 0, "not the name of a component" if name else "a name is missing")
        params: dict[str, Json] = {}
        position = len(name)
        while position < len(text):  # at the colon or at a comma
            key = _KEY.match(text, position + 1)
            if key is None:
                fail(position + 1, "expected key=value")
            if key[1] in params or key[1] == "use":
                fail(key.start(1), f"{key[1]!r} is set twice")
            start, position = key.end(), _value_end(text, key.end())
            value = text[start:position].strip()
            if not value:
                fail(start, f"a value is missing after {key[1]}=")
            if value[0] not in "\"'[{" and ":" in value:
                fail(text.index(":", start), f"quote the value of {key[1]}, which contains a colon")
            try:
                params[key[1]] = parse_value(value)
            except GameforgeError as error:
                fail(start, str(error))
        return cls(name, params)

    @classmethod
    def from_settings(cls, settings: object, where: str = "component") -> "Spec":
        """Make a spec of `{"use": ..., ...}`; `where` names the settings in errors.

        Raises GameforgeError if `use` is missing or cannot be a name.
        """
        if not isinstance(settings, Mapping):
            raise GameforgeError(f"{where} = {settings!r}: must be a table with the key 'use'")
        if "use" not in settings:
            keys = ", ".join(settings) or "no keys"
            raise GameforgeError(f"{where} has no key 'use', which names the component (it has {keys})")
        use = settings["use"]
        if not isinstance(use, str) or not _NAME.fullmatch(use):
            raise GameforgeError(f"{where}.use = {use!r}: must be the name of a component")
        return cls(use, {key: value for key, value in settings.items() if key != "use"})

    def settings(self) -> dict[str, Json]:
        """Return `{"use": ..., ...}` as in TOML; nested specs are converted as well."""
        return {"use": self.use} | {k: v.settings() if isinstance(v, Spec) else v for k, v in self.params.items()}

    def __str__(self) -> str:
        """The string from which `parse` makes this spec."""
        params = [f"{key}={_value_text(value)}" for key, value in self.settings().items() if key != "use"]
        return self.use + (":" + ",".join(params) if params else "")


def split_parts(text: str) -> list[str]:
    """Split `PART + PART` at each plus sign between spaces that is not inside quotes or brackets."""
    parts, start, depth = [], 0, 0
    for place, token in _tokens(text, 0):
        depth += (token in "[{") - (token in "]}")
        if token == "+" and depth == 0 and text[place - 1 : place + 2] == " + ":
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


def _tokens(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the place and the text of each string in quotes, and of each other character.

    If a quote is not closed, later ones of its kind are not either. They are not looked at again, or the time would
    grow with the square of the length of the text.
    """
    closed = set(_QUOTED)
    while start < len(text):
        quoted = _QUOTED[text[start]].match(text, start) if text[start] in closed else None
        if quoted is None:
            closed.discard(text[start])
        end = start + 1 if quoted is None else quoted.end()
        yield start, text[start:end]
        start = end


def _value_end(text: str, start: int) -> int:
    """Return the end of the value that starts at `start`: the next comma outside quotes and brackets."""
    if text[start : start + 1] not in ('"', "'", "[", "{"):
        comma = text.find(",", start)
        return len(text) if comma < 0 else comma
    depth = 0
    for place, token in _tokens(text, start):
        depth += (token in "[{") - (token in "]}")
        if token == "," and depth == 0:
            return place
    return len(text)


def _value_text(value: object) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and parse_value(value) == value:
        return value
    return format_value(value)


def merge(base: Mapping[str, Json], override: Mapping[str, Json]) -> dict[str, Json]:
    """Merge `override` into a copy of `base`, recursively; lists are replaced as a whole.

    Where `override` selects another component (`use`), the parameters of the old one are dropped.
    """
    other_component = "use" in override and override["use"] != base.get("use")
    merged: dict[str, Json] = {} if other_component else copy.deepcopy(dict(base))
    for key, value in override.items():
        below = merged.get(key)
        if isinstance(value, Mapping):
            merged[key] = merge(below if isinstance(below, Mapping) else {}, value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged


def apply_set(settings: Mapping[str, Json], setting: str) -> dict[str, Json]:
    """Return the settings with one value set, as in `learner.lambda=0.3`; `oracle.0.pieces=3` sets one in a list.

    The value is TOML, or else a bare string. Setting another `use` drops the parameters of the old component.
    Raises GameforgeError if `setting` is not of this form, or if the key leads nowhere.
    """
    path, equals, text = setting.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise GameforgeError(f"setting {setting!r}: expected key.key=value")
    if not text.strip():
        raise GameforgeError(f'setting {setting!r}: the value is missing (write "" for an empty string)')
    try:
        value = parse_value(text)
    except GameforgeError as error:
        raise GameforgeError(f"setting {setting!r}: {error}") from error
    return with_value(settings, path.strip(), value, f"setting {setting!r}")


def with_value(settings: Mapping[str, Json], key: str, value: object, where: str) -> dict[str, Json]:
    """Return the settings with `value` at a dotted key; error messages begin with `where`."""
    keys = key.split(".")
    result = copy.deepcopy(dict(settings))
    node: Any = result
    for depth, name in enumerate(keys):
        place = ".".join(keys[:depth])
        if not isinstance(node, dict | list):
            raise GameforgeError(f"{where}: {place} = {format_value(node)} is not a table and has no keys")
        at: Any = _index(node, name, place, where) if isinstance(node, list) else name
        if depth < len(keys) - 1:
            node = node[at] if isinstance(node, list) else node.setdefault(at, {})
        else:
            if isinstance(node, dict) and at == "use" and node.get("use") != value:
                node.clear()
            node[at] = value
    try:
        require_shallow(result)
    except ValueError as error:
        raise GameforgeError(f"{where}: {error}") from error
    return result


def flat(value: Json, key: str = "") -> Iterator[tuple[str, Json]]:
    """Yield (dotted key, value) for each leaf of nested tables and lists of tables."""
    if isinstance(value, Mapping):
        entries = [(str(name), entry) for name, entry in value.items()]
    elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        entries = [(str(i), entry) for i, entry in enumerate(value)]
    else:
        yield key, value
        return
    for name, entry in entries:
        yield from flat(entry, f"{key}.{name}" if key else name)


def _index(entries: list[Json], key: str, place: str, where: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", key) or int(key) >= len(entries):
        allowed = f"allowed: {place}.0 to {place}.{len(entries) - 1}" if entries else "the list is empty"
        raise GameforgeError(f"{where}: the list {place} has no entry {key!r}; {allowed}")
    return int(key)


NONE = "none"
"""In place of a component: leave out this kind."""
KEYS = ("game", "seed", "searcher", "features", "evaluator", "learner", "oracle")
"""The keys of a pipeline's settings."""


def normal(*layers: Mapping[str, Json]) -> dict[str, Any]:
    """Normalize a pipeline's settings: a dictionary per component, a list of oracles, features inside the evaluator.

    Several layers are merged, each over those before it. NONE stands for a kind that is left out. Raises GameforgeError
    for unknown keys and for invalid values.
    """
    return functools.reduce(merge, map(_normal, layers))


def _normal(settings: Mapping[str, Json]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in KEYS:
            raise GameforgeError(f"pipeline: no such key {key!r}{near(key, KEYS)}; allowed: {', '.join(KEYS)}")
        if key == "seed":
            check_seed(value)
            result[key] = value
        elif key == "oracle":
            entries = value if isinstance(value, list) else [value]
            if NONE in entries and len(entries) > 1:
                raise GameforgeError("oracle: 'none' cannot be combined with other oracles")
            entries = [] if entries in ([NONE], [None]) else entries
            result[key] = [_as_settings(entry, f"oracle.{i}") for i, entry in enumerate(entries)]
        else:
            result[key] = _as_settings_or_none(value, key)
    features = result.pop("features", None)
    evaluator = result.get("evaluator", {})
    if evaluator == NONE:
        if features not in (None, NONE):
            raise GameforgeError(f"pipeline: features {features['use']} need an evaluator, but the evaluator is 'none'")
    elif features is not None:
        result["evaluator"] = evaluator | {"features": features}
    elif "features" in evaluator:
        named = _as_settings_or_none(evaluator["features"], "evaluator.features")
        result["evaluator"] = evaluator | {"features": named}
    return result


def check_seed(seed: object) -> None:
    """Raise GameforgeError unless this is a valid seed, an integer from 0 to 2^63 - 1."""
    if type(seed) is not int or not 0 <= seed < 1 << 63:
        raise GameforgeError(f"seed = {seed!r}: must be an integer from 0 to 2^63 - 1")


def _as_settings_or_none(value: Json, where: str) -> dict[str, Json] | str:
    return NONE if value in (NONE, None) else _as_settings(value, where)


def _as_settings(value: Json, where: str) -> dict[str, Json]:
    if isinstance(value, Spec):
        return value.settings()
    if isinstance(value, str):
        return Spec.parse(value).settings()
    if isinstance(value, Mapping):
        return dict(value)
    raise GameforgeError(f"{where} = {value!r}: must be a component (name:key=value, or a table with the key 'use')")


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")
"""A key for which tomllib takes a time that grows with the square of its length."""


def read_toml(path: str | Path) -> dict[str, Json]:
    """Read a TOML file; raises GameforgeError if it is missing, cannot be read or is not valid TOML."""
    path = Path(path)
    try:
        return _parsed(read_file(path, MOST_TOML).decode("utf-8-sig"))  # Windows editors begin with a mark
    except FileNotFoundError:
        raise GameforgeError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise GameforgeError(f"{path} is a folder, not a TOML file") from None
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise GameforgeError(f"{path} is not a TOML file: it is not UTF-8 text") from None
    except ValueError as error:
        raise GameforgeError(f"{path} is not valid TOML: {error}") from error


def _parsed(text: str) -> dict[str, Json]:
    """Parse TOML; ValueError for anything else, also for numbers with too many digits and for deeply nested values."""
    if _LONG_KEY.search(text):
        raise ValueError("a key has too many dots")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
    require_shallow(table)
    return table


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
        table = _parsed(f"value = {text}")
    except ValueError as error:
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
        case datetime.date() | datetime.time():  # no parameter takes them, but messages name what a file has instead
            return value.isoformat()
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
