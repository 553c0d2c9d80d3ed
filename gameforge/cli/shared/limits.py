"""Options that limit a player's search: depth, nodes, simulations and time."""

import math
import re
from typing import Annotated

import typer

from gameforge.config import spec_from_settings, structure, unstructure
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.play.search_limits import LIMITS, limit_names, limited
from gameforge.plugins.registry import Registry

Depth = Annotated[int | None, typer.Option(help="Maximum depth of a search, in plies.")]
Nodes = Annotated[int | None, typer.Option(help="Maximum number of nodes per search.")]
Simulations = Annotated[int | None, typer.Option(help="Number of simulations per search.")]
Time = Annotated[float | None, typer.Option(help="Maximum time per search, in seconds.")]


def require_limits(**limits: float | None) -> None:
    """Raise GameforgeError for a value that no searcher allows; call it before a player is made. None: not limited."""
    for name, value in limits.items():
        if value is None:
            continue
        if name == "time" and not 0 < value < math.inf:
            raise GameforgeError(f"--time {value:g}: must be more than 0 seconds")
        if name != "time" and value < 1:
            raise GameforgeError(f"--{name} {value}: must be 1 or more")


def with_limits(player: Player, registry: Registry, **limits: float | None) -> Player:
    """Return the player with these limits instead of its searcher's own; its name states them. None: not limited.

    A limit is the searcher's parameter of the same name. Raises GameforgeError if the searcher does not have the
    parameter, and for a value that it rejects.
    """
    given = {name: value for name, value in limits.items() if value is not None}
    if not given:
        return player
    rules = player.game.rules
    spec = spec_from_settings(player.spec["searcher"], "searcher")
    cls = registry.load(registry.find("searcher", spec.use, rules.name))
    known = limits_of(player, registry)
    for name in given:
        if name not in known:
            allowed = f"allowed: {', '.join(known)}" if known else "it cannot be limited"
            raise GameforgeError(f"searcher {spec.use} has no limit {name!r}; {allowed}")
    searcher = structure(cls, limited(spec.params, given), "searcher")
    settings = {**player.spec, "searcher": {"use": spec.use, **unstructure(searcher)}}
    own = re.sub(rf" \((?:{'|'.join(LIMITS)}) [^()]*\)$", "", player.name)  # without the limits of another call
    name = f"{own} ({', '.join(f'{key} {value:g}' for key, value in given.items())})"
    return Player(player.parts.with_searcher(searcher), player.weights, name, settings)


def limits_of(player: Player, registry: Registry) -> list[str]:
    """Return the names of the limits that the player's searcher has."""
    spec = spec_from_settings(player.spec["searcher"], "searcher")
    cls = registry.load(registry.find("searcher", spec.use, player.game.rules.name))
    return limit_names(cls)
