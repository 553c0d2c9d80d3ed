"""What can be typed: examples of components for `gameforge plugins`, and completions of options and arguments.

A parameter is completed by its name, in every command: `game` is the name of a game wherever it is asked for. What
depends on the game is limited to that of `--game`, if it stands before.
"""

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from typer._click.shell_completion import CompletionItem

from gameforge.config import NONE, Spec
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import KINDS

if TYPE_CHECKING:
    from typer._click.core import Command, Context

OPENINGS = "openings"
"""A kind for `gameforge plugins` that is no kind of component: the named sets of openings of the games."""

_TYPED = {
    "rules": "gameforge play --game {name}",
    "features": "gameforge run {game}--features {name}",
    "evaluator": "gameforge run {game}--evaluator {name}",
    "searcher": "gameforge match {name} random {game}",
    "learner": "gameforge run {game}--learner {name}",
    "oracle": "gameforge analyze {game}--oracle {name}",
    "book": "gameforge run {game}--oracle {name}",
    "experiment": "gameforge reproduce {name}",
    "preset": "gameforge run {name} {game}",
    "player": "gameforge play {name}:level=1 {game}",
    "command": "gameforge {name} --help",
    OPENINGS: "gameforge match uct random {game}--openings {name}",
}


def example(kind: str, name: str, game: str) -> str:
    """Return a command in which this name of a component, command or set of openings is typed; game: "" for any."""
    return _TYPED[kind].format(name=name, game=f"--game {game or 'GAME'} ").rstrip()


def opening_sets(registry: Registry) -> dict[str, tuple[str, ...]]:
    """Return the names of the sets of openings of each game that has any; a game that cannot be loaded has none."""
    from gameforge.play.game import Game

    found = {}
    for game in registry.names("rules"):
        try:
            openings = Game(registry.create("rules", Spec.parse(game))).openings
        except GameforgeError:
            continue
        if openings is not None and openings.names:
            found[game] = tuple(openings.names)
    return found


def _players(registry: Registry, game: str | None) -> list[str]:
    return [*registry.names("player", game), *registry.names("searcher", game)]


def _openings(registry: Registry, game: str | None) -> list[str]:
    sets = opening_sets(registry)
    return sorted({name for one, names in sets.items() if game in (None, one) for name in names})


def _named(kind: str) -> Callable[[Registry, str | None], list[str]]:
    return lambda registry, game: registry.names(kind, None if kind == "rules" else game)


def _levels(registry: Registry, game: str | None) -> list[str]:
    from gameforge.play.saved_players import playing_settings

    folders = [registry.player_folder(name, game) for name in registry.names("player", game)] if game else []
    return [str(n + 1) for n in range(max((len(playing_settings(one).levels) for one in folders), default=0))]


_COMPLETED: Mapping[str, Callable[[Registry, str | None], list[str]]] = {
    "game": _named("rules"),
    "features": _named("features"),
    "evaluator": _named("evaluator"),
    "searcher": _named("searcher"),
    "learner": _named("learner"),
    "oracle": lambda registry, game: [*registry.names("oracle", game), *registry.names("book", game), NONE],
    "run source": _named("preset"),
    "reproduce name": _named("experiment"),
    "player": _players,
    "opponent": _players,
    "first": _players,
    "second": _players,
    "players": _players,
    "yardstick": _players,
    "openings": _openings,
    "level": _levels,
    "check kind": lambda registry, game: [*KINDS],
    "plugins kind": lambda registry, game: [*KINDS, "command", OPENINGS],
}
"""The values of a parameter, by its name, or by those of a command and of its parameter."""


def complete(command: "Command", registry: "Callable[[Context], Registry]") -> None:
    """Let the parameters of a command be completed; `registry` returns the plugins of an invocation."""
    for param in command.params:
        values = _COMPLETED.get(f"{command.name} {param.name}", _COMPLETED.get(str(param.name)))
        if values is not None:
            setattr(param, "shell_complete", functools.partial(_completed, values, registry))  # noqa: B010  a method


def _completed(
    values: Callable[[Registry, str | None], list[str]],
    registry: "Callable[[Context], Registry]",
    ctx: "Context",
    incomplete: str,
) -> list[CompletionItem]:
    given = ctx.params.get("game")
    game = given.partition(":")[0] if isinstance(given, str) else None
    found = dict.fromkeys(values(registry(ctx), game))
    return [CompletionItem(value) for value in found if value.startswith(incomplete)]
