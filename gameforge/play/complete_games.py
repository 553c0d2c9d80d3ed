"""The installed games that can be played without further parameters."""

import attrs

from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.plugins.registry import Registry


def complete_games(registry: Registry) -> dict[str, Game]:
    """Return the installed games whose rules need no parameters, by name.

    Rules that need one, and rules whose optional dependency is not installed, are left out.
    """
    return {name: Game(registry.create("rules", parse_spec(name))) for name in complete_names(registry)}


def complete_names(registry: Registry) -> tuple[str, ...]:
    """Return the names of these games."""
    return tuple(name for name in registry.names("rules") if _is_complete(registry, name))


def _is_complete(registry: Registry, name: str) -> bool:
    try:
        cls = registry.load(registry.find("rules", name))
    except GameforgeError:
        return False
    return not attrs.has(cls) or all(
        not field.init or field.default is not attrs.NOTHING for field in attrs.fields(cls)
    )
