"""The commands as the program declares them, with examples from the pages, whose commands are run by the tests."""

import pkgutil
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import attrs
import typer
from elsewhere import DOCS, ROOT, on_site, pages_elsewhere
from typer.core import TyperArgument, TyperGroup

from gameforge.cli.command_group import OWN, plugin_commands, typer_command
from gameforge.discovery.registry import default_registry

_BLOCK = re.compile(r"^ *```(sh|console)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


@attrs.frozen
class Line:
    """A command line on a page."""

    text: str
    page: str
    """The page's path on the site."""


@attrs.frozen
class Option:
    """An option or an argument of a command."""

    names: Sequence[str]
    metavar: str
    help: str
    default: str
    argument: bool


@attrs.frozen
class Command:
    """A command, or a command of a group, such as `egdb build`."""

    name: str
    plugin: str
    """The plugin that offers it; "" for GameForge's own."""
    game: str
    """The game that it serves, if there are several commands of this name."""
    help: str
    options: Sequence[Option]


@cache
def commands() -> Sequence[Command]:
    """Return all commands: GameForge's own, then those of plugins."""
    found: list[Command] = []
    for own in OWN:
        found += _commands(own.name, "", "", typer_command(own.name, pkgutil.resolve_name(own.target)))
    for name, offers in sorted(plugin_commands(default_registry().plugins)[0].items()):
        for offer in offers:
            target = typer_command(name, pkgutil.resolve_name(offer.what.target))
            found += _commands(name, offer.plugin, offer.what.game if len(offers) > 1 else "", target)
    return found


@cache
def lines() -> Sequence[Line]:
    """Return all command lines of all pages, the shortest first."""
    pages = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / DOCS).rglob("*.md"))]
    found: dict[str, Line] = {}
    for source in [*pages, *pages_elsewhere()]:
        for language, block in _BLOCK.findall((ROOT / source).read_text(encoding="utf-8")):
            for line in block.splitlines():
                text = line.strip().removeprefix("$ ")
                if language == "console" and not line.strip().startswith("$ "):
                    continue
                if re.search(r"\bgameforge ", text) and f"{line}\nerror:" not in block:
                    command = text.partition("  #")[0].strip()
                    found.setdefault(command, Line(command, on_site(source) or source))
    return sorted(found.values(), key=lambda line: len(line.text))


def examples(command: Command, option: Option | None = None) -> list[Line]:
    """Return the lines that use a command, and this option of it, the shortest first.

    If a plugin offers the command for several games, lines with other games follow those with the command's own.
    """
    called = re.compile(rf"gameforge (--plugin \S+ )*{command.name}\b")
    own = [line for line in lines() if called.search(line.text)]
    if command.game:
        games = [other.game for other in commands() if (other.name, other.plugin) == (command.name, command.plugin)]
        own = [line for game in games for line in own if re.search(rf"--game {game}(?![\w-])", line.text)] or own
        own.sort(key=lambda line: (f"--game {command.game}" not in line.text, len(line.text)))
    if option is None or option.argument:
        return own
    used = re.compile("|".join(rf"(?<!\S){re.escape(name)}(?![\w-])" for name in option.names))
    return [line for line in own if used.search(line.text)]


def _commands(name: str, plugin: str, game: str, command: Any) -> Iterator[Command]:
    if isinstance(command, TyperGroup):
        for inner in command.commands.values():
            yield from _commands(f"{name} {inner.name}", plugin, game, inner)
        return
    context = typer.Context(command, info_name=name)
    options = [_option(param, context) for param in command.get_params(context) if param.name != "help"]
    yield Command(name=name, plugin=plugin, game=game, help=_plain(command.help), options=options)


def _option(param: Any, context: typer.Context) -> Option:
    argument = isinstance(param, TyperArgument)
    flag = bool(getattr(param, "is_flag", False))
    default = "" if flag or param.default in (None, (), "", []) else str(param.default)
    return Option(
        names=[*param.opts, *param.secondary_opts],
        metavar="" if flag else _metavar(param, context),
        help=_plain(param.help),
        default="required" if param.required else default,
        argument=argument,
    )


def _metavar(param: Any, context: typer.Context) -> str:
    """What stands for the value of an option, such as `INT >= 1`."""
    if param.metavar is not None:
        return str(param.metavar)
    kind = param.display_type(context).strip("<>").partition(" ")[0]
    limits = [f"{sign} {limit}" for sign, limit in ((">=", param.min), ("<=", param.max)) if limit is not None]
    return " ".join([kind if "|" in kind else kind.upper(), ", ".join(limits)]).strip()


def _plain(text: str | None) -> str:
    return re.sub(r"\\\[", "[", " ".join((text or "").split()))
