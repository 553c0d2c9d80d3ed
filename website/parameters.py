"""The parameters of a component as its class declares them: what is allowed, the default, and what they mean."""

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import attrs

from gameforge.config.parameters import describe, unstructure
from gameforge.config.settings import format_value

_BULLET = re.compile(r"^(?:\* |.*?\. \* )?", re.MULTILINE)


@attrs.frozen
class Parameter:
    """One parameter, in words."""

    name: str
    allowed: str
    default: str
    """As in TOML; "" if the parameter must be given."""
    meaning: str
    """"" if it is not documented."""
    table: type | None
    """The class of a parameter that is a table of parameters, or a list of such tables."""


def parameters(cls: type) -> list[Parameter]:
    """Return the parameters of a component class; a class without attrs fields has none."""
    if not attrs.has(cls):
        return []
    fields = [field for field in attrs.fields(attrs.resolve_types(cls)) if field.init]
    return [
        Parameter(
            name=(field.alias or field.name).removesuffix("_"),
            allowed=_allowed(field),
            default=_default(field),
            meaning=_meaning(cls, field.name),
            table=_table(field.type),
        )
        for field in fields
    ]


def _allowed(field: "attrs.Attribute[Any]") -> str:
    kind = field.metadata.get("component")
    words = [f"a component of the kind {kind}" if kind else describe(field.type) if field.type else "anything"]
    for validator in _validators(field.validator):
        try:
            validator(None, field, math.nan)  # no number is allowed to be this, so the validator says what is
        except Exception as error:
            found = re.match(rf"'{field.name}' must be (?!in )(.*?)(: nan|, not | \(got)", str(error))
            words += [found[1]] if found and found[1] not in words else []
    if field.type is int:
        words[1:] = [word.removeprefix("a number ") for word in words[1:]]
    if len(words) > 1 and re.match("a number|a whole number|even", words[1]):
        words.pop(0)  # the validator says it, too
    return ", ".join(words)


def _validators(validator: Any) -> Iterator[Any]:
    """The parts of a validator that attrs joined."""
    parts = getattr(validator, "_validators", None) or getattr(validator, "validator", None)
    if parts is None:
        yield from [] if validator is None else [validator]
    else:
        for part in parts if isinstance(parts, tuple) else (parts,):
            yield from _validators(part)


def _default(field: "attrs.Attribute[Any]") -> str:
    default: Any = field.default
    if default is attrs.NOTHING:
        return ""
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        if default.takes_self:
            return "depends on the other parameters"
        default = default.factory()
    if default is None:
        return "none"
    if attrs.has(type(default)):
        return "a table with its defaults"
    text = format_value(unstructure(attrs.make_class("Only", {"it": attrs.field()})(default))["it"])
    return f"`{text}`" if len(text) <= 40 else f"{len(default)} values"


def _table(kind: Any) -> type | None:
    inner = [kind, *getattr(kind, "__args__", ())]
    found = [option for option in inner if isinstance(option, type) and attrs.has(option)]
    return next((option for option in found if option.__name__ != "Spec"), None)


def _meaning(cls: type, name: str) -> str:
    """The docstring below the field, or the item of a list in the docstring of the class."""
    for owner in cls.__mro__:
        if owner.__module__ not in ("builtins", "typing"):
            listed = _listed(owner.__doc__ or "")
            found = [docs[key] for docs in (_attribute_docs(owner), listed) for key in _spellings(name) if key in docs]
            if found:
                return found[0][:1].upper() + found[0][1:]
    return ""


def _spellings(name: str) -> tuple[str, str]:
    """A field `lambda_` is the parameter `lambda`."""
    return name, name.removesuffix("_")


@cache
def _attribute_docs(cls: type) -> Mapping[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    docs = {}
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = below.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                docs[field.target.id] = " ".join(text.value.split())
    return docs


def _listed(docstring: str) -> Mapping[str, str]:
    """Items such as "* `low`, `high`: the limits." by name."""
    found = {}
    for names, text in re.findall(r"\* ((?:`\w+`(?:, )?)+):\s(.*?)(?=\* `|\n\s*\n|$)", docstring, re.DOTALL):
        found.update(dict.fromkeys(re.findall(r"`(\w+)`", names), " ".join(text.split())))
    return found
