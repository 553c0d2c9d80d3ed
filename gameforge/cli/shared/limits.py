"""The strength of a player, set on the command line: depth, nodes, simulations, time."""

from typing import Annotated

import attrs
import typer

from gameforge.config import spec_from_settings, structure, unstructure
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry

LIMITS = ("depth", "nodes", "simulations", "time")

Depth = Annotated[int | None, typer.Option(help="Search so many plies deep.")]
Nodes = Annotated[int | None, typer.Option(help="Search so many nodes.")]
Simulations = Annotated[int | None, typer.Option(help="Play so many random games.")]
Time = Annotated[float | None, typer.Option(help="Search so many seconds.")]


def with_limits(player: Player, registry: Registry, **limits: float | None) -> Player:
    """The player with these limits in place of its searcher's own, and named so; None sets none.

    Limits are the searcher's parameters of these names. Raises GameforgeError, and says which it has,
    if the searcher lacks one, and for values that it refuses.
    """
    given = {name: value for name, value in limits.items() if value is not None}
    if not given:
        return player
    rules = player.game.rules
    spec = spec_from_settings(player.spec["searcher"], "searcher")
    cls = registry.load(registry.find("searcher", spec.use, rules.name))
    known = [name for name in LIMITS if attrs.has(cls) and name in attrs.fields_dict(cls)]
    for name in given:
        if name not in known:
            has = f"it has {' and '.join(known)}" if known else "it has no limits"
            raise GameforgeError(f"searcher {spec.use} has no limit {name!r}; {has}")
    kept = {key: value for key, value in spec.params.items() if key not in LIMITS}
    searcher = structure(cls, kept | given, "searcher")
    table = {**player.spec, "searcher": {"use": spec.use, **unstructure(searcher)}}
    name = f"{player.name.partition(' (')[0]} ({', '.join(f'{key} {value:g}' for key, value in given.items())})"
    return Player(player.parts.with_searcher(searcher), player.weights, name, table)
