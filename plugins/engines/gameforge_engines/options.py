"""Options of a player that a client may change: its level, its limits, its memory and its databases."""

import functools
from collections.abc import Callable, Mapping

import attrs

from gameforge.cli.shared.limits import limits_of, with_limits
from gameforge.config import parse_value
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.play.saved_players import player_spec
from gameforge.play.search_limits import LIMITS
from gameforge.plugins.registry import Registry

LEVEL, MEMORY, DATABASES = "level", "memory", "databases"
_PLAYERS = 4
"""Number of changed players that are kept, for clients that send the same limits with each search."""


@attrs.frozen(kw_only=True)
class Options:
    """The options of a player, as texts; "" is the player's own setting."""

    values: Mapping[str, str]
    """Names and current values."""
    changed: Callable[[Mapping[str, str]], Player]
    """Makes the player with these settings; GameforgeError for a value that is not allowed."""

    def with_value(self, name: str, value: str) -> "Options":
        """Return the options with one more value; GameforgeError for an unknown name. Case does not matter."""
        known = {key.lower(): key for key in self.values}
        if name.lower() not in known:
            raise GameforgeError(f"unknown option {name!r}; known: {', '.join(self.values) or 'none'}")
        return attrs.evolve(self, values={**self.values, known[name.lower()]: value})

    def player(self, limits: Mapping[str, str] | None = None) -> Player:
        """Make the player with the current values, and with these limits instead of its own."""
        given = {name: "" if limits and name in LIMITS else value for name, value in self.values.items()}
        return self.changed({**given, **(limits or {})})


def options_of(
    make: Callable[[int], Player], levels: int, base: Player, seed: int, registry: Registry, announce: Announce
) -> Options:
    """Return the options of a player.

    make: makes the player at one of its levels, of which there are `levels`. seed: of each changed player.
    """
    spec = base.spec["searcher"]
    cls = registry.load(registry.find("searcher", spec["use"], base.game.rules.name))
    memory = (MEMORY,) if attrs.has(cls) and MEMORY in attrs.fields_dict(cls) else ()
    names = (*((LEVEL,) if levels else ()), *limits_of(base, registry), *memory, DATABASES)

    @functools.lru_cache(maxsize=_PLAYERS)
    def changed(items: tuple[tuple[str, str], ...]) -> Player:
        values = dict(items)
        level, memory, databases = (values.pop(name, "") for name in (LEVEL, MEMORY, DATABASES))
        player = make(int(_number(LEVEL, level))) if level else base
        settings: dict[str, object] = {"searcher.memory": _number(MEMORY, memory)} if memory else {}
        oracles = {"oracle": databases.replace(";", " ").split()} if databases else {}
        if settings or oracles:
            own = Pipeline(learner="none", registry=registry, **{**player.spec, **oracles})
            pipeline = own.with_settings(settings) if settings else own
            player = Player(pipeline.parts(announce), player.weights, player.name, player_spec(pipeline.settings))
        player = with_limits(player, registry, **{name: _number(name, value) for name, value in values.items()})
        player.reseed(seed)
        return player

    def of_values(values: Mapping[str, str]) -> Player:
        given = tuple((name, value) for name, value in values.items() if value)
        return changed(given) if given else base

    return Options(values=dict.fromkeys(names, ""), changed=of_values)


def _number(name: str, text: str) -> float:
    value = parse_value(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GameforgeError(f"{name} = {text!r}: must be a number")
    return value
