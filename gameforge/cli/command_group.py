"""The commands of GameForge and its plugins, the command group, which imports them on use, and their help pages.

The help is written as readers of command lines expect it: flags without a type, arguments in capitals, no lost
brackets. Typer writes `--json <bool>` and `{first}`, and its markup swallows `[brackets]` in help texts. It also takes
an empty path for the current folder; these commands refuse it.
"""

import os
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command, get_group

from gameforge.cli.completion import complete
from gameforge.cli.terminal import ask_to_start
from gameforge.config.outside import require_number, require_path
from gameforge.discovery.consent import Consent
from gameforge.discovery.loading import Failure, Offer, Plugins, import_target, load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.hooks import Command
from gameforge.play.bounds import TRUST

if TYPE_CHECKING:
    from typer._click.core import Command as Described
    from typer._click.core import Context, Parameter


@attrs.frozen
class State:
    """The state of one invocation."""

    registry: Registry
    """The components of all plugins, including those of `--plugin`."""


_BRACKET = re.compile(r"(?<!\\)\[")


class ReadableCommand(TyperCommand):
    """A command with a readable help page."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        written = list(args)
        rest = super().parse_args(ctx, args)
        if "" in written or any(word.endswith("=") for word in written):
            given = self.make_parser(ctx).parse_args(args=written)[0]
            for param in self.get_params(ctx):
                _require_paths(param, given.get(param.name), ctx.params.get(param.name))
        for param in self.get_params(ctx):
            _require_usable(param, ctx.params.get(param.name))
        return rest

    def get_params(self, ctx: "Context") -> "list[Parameter]":
        return _described(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: "Context") -> list[str]:
        return ["[OPTIONS]", *_usage(self.get_params(ctx))]


class ReadableGroup(TyperGroup):
    """A group of commands with a readable help page."""

    def get_params(self, ctx: "Context") -> "list[Parameter]":
        return _described(super().get_params(ctx))


def _escaped(text: str) -> str:
    """Return a help text in which brackets are not markup."""
    return _BRACKET.sub(r"\[", text)


def _require_paths(param: "Parameter", given: object, value: object) -> None:
    """Raise GameforgeError if an argument that became a path is empty."""
    texts, values = (one if isinstance(one, list | tuple) else [one] for one in (given, value))
    if any(text == "" and isinstance(path, Path) for text, path in zip(texts, values, strict=False)):
        option = param.opts[0] if isinstance(param, TyperOption) else param.metavar
        raise GameforgeError(f"{option} '': an empty text is not the name of a file or folder")


def _require_usable(param: "Parameter", value: object) -> None:
    """Raise GameforgeError for a path that no file can have, and for a number that nothing can use."""
    name = param.opts[0] if isinstance(param, TyperOption) else str(param.metavar)
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, Path):
            require_path(one, name)
        elif isinstance(one, int | float):
            require_number(one, name)


def _described(params: "list[Parameter]") -> "list[Parameter]":
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag:
            param.metavar = ""
        elif isinstance(param, TyperArgument) and param.metavar is None:
            param.metavar = str(param.name).upper()
    return params


def _usage(params: "Iterable[Parameter]") -> Iterator[str]:
    """Yield the arguments of a usage line: FIRST, [OPTIONAL], SEVERAL..."""
    for param in params:
        if isinstance(param, TyperArgument) and not param.hidden:
            name = (param.metavar or str(param.name).upper()).removesuffix("...")
            yield (name if param.required else f"[{name}]") + ("..." if param.nargs != 1 else "")


_TABLE = (
    ("run", "run:run", "Train a player and save it in a run folder."),
    ("match", "match:match", "Play a match between two players."),
    ("tournament", "match:tournament", "Play a tournament and print a crosstable with ratings."),
    ("perft", "board:perft", "Count the sequences of legal moves from a position."),
    ("play", "play:play", "Play against a player in the terminal."),
    ("web", "web:web", "Play, analyse, watch and follow trainings in a web page."),
    ("analyze", "analyze:analyze", "Analyse a position, or games move by move."),
    ("board", "board:board", "Show a position, in the terminal or as a picture."),
    ("replay", "replay:replay", "Step through a game in the terminal."),
    ("games", "games:app", "Keep games in a database, and find them."),
    ("reproduce", "trials:reproduce_command", "Repeat a published experiment and compare the results."),
    ("study", "trials:study", "Train variants of a pipeline and compare them over seeds."),
    ("runs", "runs:runs", "List and compare runs, including running ones."),
    ("plot", "runs:plot", "Draw the learning curves of runs."),
    ("plugins", "plugins:plugins", "List the plugins and what they offer."),
    ("verify", "runs:verify", "Check runs, matches and players by checksums and by the rules."),
    ("player", "player:app", "Show, pack, verify and measure trained players."),
    ("check", "plugins:check", "Check a component against the contract of its kind."),
    ("new-plugin", "plugins:new_plugin", "Write a small working plugin to start from."),
    ("docs", "docs:docs", "Open the documentation in a browser."),
    ("warmup", "warmup:warmup", "Compile all kernels ahead of time."),
)
"""Name, target in gameforge.cli.commands and summary of each command."""
OWN = tuple(Command(name, f"gameforge.cli.commands.{target}", summary) for name, target, summary in _TABLE)
"""GameForge's own commands. No plugin can take one of their names."""


def plugin_commands(plugins: Plugins) -> tuple[dict[str, list[Offer[Command]]], list[Failure]]:
    """Return the commands of plugins by name, one for each game, and a failure for each command whose name is taken."""
    own = {command.name for command in OWN}
    commands: dict[str, list[Offer[Command]]] = {}
    failures = []
    for offer in plugins.commands:
        name, game = offer.what.name, offer.what.game
        accepted = commands.setdefault(name, [])
        rivals = [other.plugin for other in accepted if not game or other.what.game in ("", game)]
        if name in own or rivals:
            rival = rivals[0] if rivals else "GameForge"
            reason = f"its command {name!r} is ignored, because {rival} has a command of the same name"
            failures.append(Failure(offer.plugin, offer.origin, reason))
        else:
            accepted.append(offer)
    return {name: offers for name, offers in commands.items() if offers}, failures


def state(ctx: "Context") -> State:
    """Return the state of this invocation. It is made on first use, so that `--version` and `run --help` are fast."""
    root = ctx.find_root()
    if root.obj is None:
        consent = Consent(everything=bool(root.params.get("allow_engines")), ask=ask_to_start, how=_ALLOW)
        if root.params.get("trust"):
            os.environ[TRUST] = "1"  # processes of an executor inherit it
        root.obj = State(Registry(load(root.params.get("plugin") or ()), consent))
    found: State = root.obj
    return found


_ALLOW = "--allow-engines"
_ANYWHERE = _ALLOW, "--trust"
"""Options that agree to something for any command; people write them after the command as well."""


def _before_command(args: list[str]) -> list[str]:
    """Move the options that may stand anywhere to the front."""
    end = args.index("--") if "--" in args else len(args)
    before = [option for option in _ANYWHERE if option in args[:end]]
    return [*before, *(arg for arg in args[:end] if arg not in before), *args[end:]]


def _values(args: Sequence[str]) -> list[str]:
    """Return the arguments, and what stands after the first `=`, as in --player=TEXT and --set KEY=TEXT."""
    return [*args, *(arg.partition("=")[2] for arg in args)]


class CommandGroup(ReadableGroup):
    """A group that lists commands by their descriptors and imports only the command that is called."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        return super().parse_args(ctx, _before_command(args))

    def list_commands(self, ctx: "Context") -> list[str]:
        return [command.name for command in OWN] + sorted(self._of_plugins(ctx))

    def get_command(self, ctx: "Context", cmd_name: str) -> TyperCommand | None:
        """Return name and summary of a command, for the help, without importing it."""
        own = {command.name: command for command in OWN}
        if cmd_name in own:
            return _summary(own[cmd_name], None)
        offers = self._of_plugins(ctx).get(cmd_name)
        if offers is None:
            return None
        command = offers[0].what
        if len(offers) > 1:
            games = ", ".join(offer.what.game for offer in offers)
            command = attrs.evolve(command, summary=f"{command.summary.rstrip('.')} (--game {games}).")
        return _summary(command, "Commands of plugins")

    def resolve_command(self, ctx: "Context", args: list[str]) -> "tuple[str, Described, list[str]]":
        """Import the command that is called, and agree to the programs that its arguments name.

        Raises GameforgeError for an unknown command.
        """
        name = args[0]
        state(ctx).registry.agree(*_values(args))
        for command in OWN:
            if command.name == name:
                return name, typer_command(name, pkgutil.resolve_name(command.target)), args[1:]
        offers = self._of_plugins(ctx).get(name)
        if offers is None:
            names = self.list_commands(ctx)
            raise GameforgeError(f"unknown command {name!r}{near(name, names)}; known: {', '.join(names)}")
        offer = _for_game(offers, args[1:])
        target = import_target(offer.what.target, f"command {name!r} of {offer.plugin}")
        return name, typer_command(name, target), args[1:]

    def _of_plugins(self, ctx: "Context") -> dict[str, list[Offer[Command]]]:
        return plugin_commands(state(ctx).registry.plugins)[0]


def _for_game(offers: Sequence[Offer[Command]], args: Sequence[str]) -> Offer[Command]:
    """Select among commands of the same name by the option --game; without it, take the first that allows that."""
    if len(offers) == 1:
        return offers[0]
    games = {offer.what.game: offer for offer in offers}
    following = [value for arg, value in pairwise(args) if arg == "--game"]
    joined = [arg.removeprefix("--game=") for arg in args if arg.startswith("--game=")]
    usual = next((offer for offer in offers if not offer.what.named_only), offers[0])
    game = [usual.what.game, *following, *joined][-1].partition(":")[0]
    if game not in games:
        name = offers[0].what.name
        raise GameforgeError(
            f"command {name!r} does not support the game {game!r}{near(game, games)}; supported: {', '.join(games)}"
        )
    return games[game]


def _summary(command: Command, panel: str | None) -> TyperCommand:
    return TyperCommand(command.name, help=_escaped(command.summary), rich_help_panel=panel)


def typer_command(name: str, target: Callable[..., object] | typer.Typer) -> "Described":
    """Make a group of commands from a typer app, or one command from a function; their help pages are readable."""
    found: Described
    if isinstance(target, typer.Typer):
        for registered in target.registered_commands:
            registered.cls = ReadableCommand if registered.cls is TyperCommand else registered.cls
        if not (isinstance(target.info.cls, type) and issubclass(target.info.cls, TyperGroup)):
            target.info.cls = ReadableGroup
        found = get_group(target)
        found.no_args_is_help = True
    else:
        app = typer.Typer(add_completion=False)
        app.command(name, cls=ReadableCommand)(target)
        found = get_command(app)
    found.name = name
    for command in (found, *getattr(found, "commands", {}).values()):
        complete(command, lambda ctx: state(ctx).registry)
        for described in (command, *command.params):
            if getattr(described, "help", None):
                described.help = _escaped(described.help)
    return found
