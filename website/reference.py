"""Reference pages, made from the program: commands, components, and the interfaces for Python."""

import ast
import html
import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from api import PAGES
from commands import Command, Line, Option, commands, examples
from elsewhere import ROOT
from parameters import Parameter, parameters

from gameforge.discovery.loading import Offer, import_target
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import KINDS, Component

WITHOUT_CLASS = ("preset", "player")
"""Kinds whose components are files."""


def reference() -> dict[str, str]:
    """Return the generated pages, by their path on the site."""
    pages = {"reference/commands.md": _commands(), "reference/components.md": _components()}
    return pages | {f"reference/{name}.md": _api(name) for name in PAGES}


def _commands() -> str:
    text = [
        "# Commands",
        "Generated from the program. The examples come from the pages of this site, where their output can be seen. "
        "`--plugin FILE`, before the command, loads a plugin from a Python file; `-h` shows the help of a command.",
    ]
    for command in commands():
        text += _command(command)
    return "\n\n".join(text) + "\n"


def _command(command: Command) -> Iterator[str]:
    title = f"{command.name} ({command.game})" if command.game else command.name
    yield f"## {title}"
    origin = f" (plugin [{command.plugin}](../plugins/{command.plugin}.md))" if command.plugin else ""
    yield command.help + origin
    found = examples(command)
    if found:
        yield "```sh\n" + found[0].text + "\n```"
    for option in command.options:
        yield _option(option, examples(command, option))


def _option(option: Option, found: Sequence[Line]) -> str:
    names = option.metavar if option.argument else ", ".join(option.names)
    value = "" if option.argument or not option.metavar else f" {option.metavar}"
    default = {"": "", "required": " Required."}.get(option.default, f" Default: `{option.default}`.")
    text = f"`{names}{value}`\n:   {html.escape(option.help, quote=False)}{default}"
    if found and not option.argument:
        page = posixpath.relpath(found[0].page, "reference")
        text += f"\n\n    [`{found[0].text}`]({page})"
    return text


def _components() -> str:
    text = [
        "# Components",
        "Generated from the classes of the components. A component is written `name:parameter=value,...` in a command, "
        "and as a table with the key `use` in TOML.",
    ]
    offers = default_registry().plugins.components
    for kind in KINDS:
        text.append(f"## {kind}")
        for offer in sorted((offer for offer in offers if offer.what.kind == kind), key=lambda offer: offer.what.name):
            text += _component(offer)
    return "\n\n".join(text) + "\n"


def _component(offer: Offer[Component]) -> Iterator[str]:
    what = offer.what
    fits = f" Fits the game {what.game}." if what.game else ""
    yield f"### {what.name} ({what.kind}{', ' + what.game if what.game else ''})"
    yield (
        f"{html.escape(what.summary[:1].upper() + what.summary[1:], quote=False)}.{fits} "
        f"Plugin [{offer.plugin}](../plugins/{offer.plugin}.md)."
    )
    if what.kind not in WITHOUT_CLASS:
        try:
            cls = import_target(what.target, what.name)
        except GameforgeError:
            yield f"Its parameters are missing here, because it could not be imported. {what.install_hint}"
            return
        yield from _tables(cls, "", frozenset())


def _tables(cls: type, prefix: str, outer: frozenset[type]) -> Iterator[str]:
    """The parameters of a class and of the tables in it; a table like one of those around it is listed once."""
    found = parameters(cls)
    if found:
        rows = ["| parameter | allowed | default | meaning |", "|---|---|---|---|"]
        yield "\n".join(rows + [_row(parameter, prefix) for parameter in found])
    for parameter in found:
        if parameter.table is not None and parameter.table not in outer | {cls}:
            yield from _tables(parameter.table, f"{prefix}{parameter.name}.", outer | {cls})


def _row(parameter: Parameter, prefix: str) -> str:
    cells = f"`{prefix}{parameter.name}`", parameter.allowed, parameter.default or "required", parameter.meaning
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def _api(name: str) -> str:
    page = PAGES[name]
    text = [f"# {page.title}", page.introduction]
    text += [_name(name, target) for name, target in page.names().items()]
    return "\n\n".join(text) + "\n"


def _name(name: str, target: str) -> str:
    """Return the entry of a public name; constants that share an assignment get its docstring: mkdocstrings cannot."""
    module, _, inner = target.rpartition(".")
    file = ROOT / Path(*module.split(".")).with_suffix(".py")
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    for node, below in pairwise([*body, ast.Pass()]):
        shared = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
        if shared and inner in {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}:
            text = ast.literal_eval(below.value) if isinstance(below, ast.Expr) else ""
            return f"## `{name}`\n\n{text}"
    return f"::: {target}\n    options:\n      heading: {name}"
