"""Specs: the name and the parameters of one component, as a string or as a TOML table."""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

import attrs

from gameforge.config.toml import format_value, parse_value
from gameforge.errors import GameforgeError

_NAME = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?")
_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_-]*)\s*=\s*")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|.', re.DOTALL)
_BARE = re.compile(r"[\w./+-]+")


def _copied(params: Mapping[str, Any]) -> dict[str, Any]:
    return dict(params)


@attrs.frozen
class Spec:
    """A component's name and its parameters, which are not checked here."""

    use: str
    """Name in the registry, plain or as `plugin/name`."""
    params: Mapping[str, Any] = attrs.field(factory=dict, converter=_copied)
    """Its parameters, by name."""

    def settings(self) -> dict[str, Any]:
        """Return `{"use": ..., ...}` as in TOML; nested specs are converted as well."""
        return {"use": self.use} | {k: v.settings() if isinstance(v, Spec) else v for k, v in self.params.items()}

    def __str__(self) -> str:
        """The string from which parse_spec makes this spec."""
        params = [f"{key}={_value_text(value)}" for key, value in self.settings().items() if key != "use"]
        return self.use + (":" + ",".join(params) if params else "")


def parse_spec(text: str) -> Spec:
    """Parse `name:key=value,key=value`. Values are TOML, or else bare strings; quote strings with commas or colons.

    Raises GameforgeError with the position of the first mistake.
    """

    def fail(position: int, what: str) -> NoReturn:
        raise GameforgeError(f"component {text!r}, character {position + 1}: {what} (name:key=value,key=value)")

    name = text.partition(":")[0]
    if not _NAME.fullmatch(name):
        bad = _NAME.match(name)
        fail(bad.end() if bad else 0, "not the name of a component" if name else "a name is missing")
    params: dict[str, Any] = {}
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
    return Spec(name, params)


def split_parts(text: str) -> list[str]:
    """Split `PART + PART` at each plus sign between spaces that is not inside quotes or brackets."""
    parts, start, depth = [], 0, 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if token[0] == "+" and depth == 0 and text[token.start() - 1 : token.end() + 1] == " + ":
            parts.append(text[start : token.start()].strip())
            start = token.end()
    return [*parts, text[start:].strip()]


def spec_from_settings(settings: Mapping[str, Any], where: str = "component") -> Spec:
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
    return Spec(use, {key: value for key, value in settings.items() if key != "use"})


def _value_end(text: str, start: int) -> int:
    """Return the end of the value that starts at `start`: the next comma outside quotes and brackets."""
    if text[start : start + 1] not in ('"', "'", "[", "{"):
        comma = text.find(",", start)
        return len(text) if comma < 0 else comma
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if token[0] == "," and depth == 0:
            return token.start()
    return len(text)


def _value_text(value: Any) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and parse_value(value) == value:
        return value
    return format_value(value)
