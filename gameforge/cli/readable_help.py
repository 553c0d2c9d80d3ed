"""Help pages as readers of command lines expect them: flags without a type, arguments in capitals, no lost brackets.

Typer writes `--json <bool>` and `{first}`, and its markup swallows `[brackets]` in help texts. It also takes an empty
path for the current folder; these commands refuse it.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from gameforge.errors import GameforgeError

_BRACKET = re.compile(r"(?<!\\)\[")


class ReadableCommand(TyperCommand):
    """A command with a readable help page."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        _escape(self)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        written = list(args)
        rest = super().parse_args(ctx, args)
        if "" in written or any(word.endswith("=") for word in written):
            given = self.make_parser(ctx).parse_args(args=written)[0]
            for param in self.get_params(ctx):
                _require_paths(param, given.get(param.name), ctx.params.get(param.name))
        return rest

    def get_params(self, ctx: Any) -> list[Any]:
        return _described(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *_usage(self.get_params(ctx))]


class ReadableGroup(TyperGroup):
    """A group of commands with a readable help page."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        _escape(self)

    def get_params(self, ctx: Any) -> list[Any]:
        return _described(super().get_params(ctx))


def make_readable(app: typer.Typer) -> typer.Typer:
    """Give the commands of an app, and the app as a group of commands, readable help pages."""
    for command in app.registered_commands:
        command.cls = ReadableCommand if command.cls is TyperCommand else command.cls
    if not (isinstance(app.info.cls, type) and issubclass(app.info.cls, TyperGroup)):
        app.info.cls = ReadableGroup
    return app


def escaped(text: str) -> str:
    """Return a help text in which brackets are not markup."""
    return _BRACKET.sub(r"\[", text)


def _escape(command: Any) -> None:
    for described in (command, *command.params):
        if getattr(described, "help", None):
            described.help = escaped(described.help)


def _require_paths(param: Any, given: Any, value: Any) -> None:
    """Raise GameforgeError if an argument that became a path is empty."""
    texts, values = (one if isinstance(one, list | tuple) else [one] for one in (given, value))
    if any(text == "" and isinstance(path, Path) for text, path in zip(texts, values, strict=False)):
        option = param.opts[0] if isinstance(param, TyperOption) else param.metavar
        raise GameforgeError(f"{option} '': an empty text is not the name of a file or folder")


def _described(params: list[Any]) -> list[Any]:
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag:
            param.metavar = ""
        elif isinstance(param, TyperArgument) and param.metavar is None:
            param.metavar = param.name.upper()
    return params


def _usage(params: Iterable[Any]) -> list[str]:
    """Return the arguments of a usage line: FIRST, [OPTIONAL], SEVERAL..."""
    arguments = [param for param in params if isinstance(param, TyperArgument) and not param.hidden]
    names = [(param.metavar or param.name.upper()).removesuffix("...") for param in arguments]
    shown = [name if param.required else f"[{name}]" for name, param in zip(names, arguments, strict=True)]
    return [f"{name}..." if param.nargs != 1 else name for name, param in zip(shown, arguments, strict=True)]
