"""The game, the player and the oracles that the options of a command describe, and the limits of its search."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import Spec, parse_spec, spec_from_settings, structure, unstructure
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.described_players import excludes_oracles, levels_of, player_from_text
from gameforge.play.game import Game, complete_games
from gameforge.play.knowledge import OracleHandle
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE
from gameforge.play.player import LIMITS, Player, limit_names, limited
from gameforge.play.player_text import implied_game, require_known_parts


def game_for(
    registry: Registry,
    name: str | None,
    position: str | None = None,
    file: Path | None = None,
    player: str | None = None,
) -> Game:
    """Return the game with this name (NAME:key=value sets its parameters), or infer it if `name` is None.

    The inferred game is that of the player, the only installed game, the only one that can read `position`, or the
    only one whose files have the suffix of `file`. Of several games, those that must be named do not count
    (Defaults.named_only). Raises GameforgeError if no game or several games fit, and for a part of the player that is
    neither a folder nor a component.
    """
    if name is None and player is not None:
        name = implied_game(player, registry)
        if name is None:
            require_known_parts(player, registry)
    if name is not None:
        return Game(registry.create("rules", parse_spec(name)))
    known = complete_games(registry)
    games = list(known.values())
    if len(games) > 1 and position is not None:
        games = [game for game in games if _reads(game, position)]
    if len(games) > 1 and file is not None:
        games = [g for g in games if g.files is not None and g.files.suffix == file.suffix.lower()]
    if len(games) > 1:
        games = [game for game in games if not (game.defaults and game.defaults.named_only)]
    if len(games) == 1:
        return games[0]
    which = f" for {file}" if file else "" if position is None else f" for the position {position!r}"
    raise GameforgeError(f"cannot infer the game{which}; give --game NAME (known: {', '.join(known) or 'none'})")


def _reads(game: Game, position: str) -> bool:
    try:
        game.parse_position(position)
    except GameforgeError:
        return False
    return True


def player_for(
    text: str | None,
    name: str | None,
    game: Game,
    registry: Registry,
    announce: Announce,
    level: int | None = None,
    oracles: Sequence[str] = (),
) -> Player:
    """Make the player that `text` describes; if it is None, the game's default player.

    name: the game as given with --game. level: one of its levels. oracles: replace those of the player at its full
    strength, unless its text names its own. Raises GameforgeError for a player of another game, and if the game has no
    default player.
    """
    return player_from_text(
        _text(text, game, registry), name or game.rules.name, registry, announce, level=level, oracles=oracles
    )


def levels_for(text: str | None, name: str | None, game: Game, registry: Registry) -> int:
    """Return how many levels the player has that `player_for` makes of the same text; 0 if the text names one."""
    return levels_of(_text(text, game, registry), name or game.rules.name, registry)


def _text(text: str | None, game: Game, registry: Registry) -> str:
    found = registry.defaults(game.rules).player if text is None else text
    if not found and text is None:
        raise GameforgeError(f"{game.rules.name} has no default player; give one, such as 'SEARCHER + EVALUATOR'")
    return found


def oracles_for(
    given: Sequence[str], player: Player, text: str | None, registry: Registry, announce: Announce
) -> list[OracleHandle]:
    """Return the oracles for verdicts: the given ones, else the player's, else those of the game's preset.

    text: describes the player, as for `player_for`. If `none` is the only one given, or if none are given and the text
    excludes oracles, there are none. Oracles are opened on the first probe.
    """
    without = excludes_oracles(_text(text, player.game, registry), player.game, registry)
    own = NONE if without else player.spec.get("oracle") or None
    chosen = NONE if list(given) == [NONE] else list(given) or own
    pipeline = Pipeline(game=player.game, searcher=NONE, evaluator=NONE, learner=NONE, oracle=chosen, registry=registry)
    return [
        OracleHandle(oracle.component, _brief(oracle.spec, oracle.component), announce, registry=registry)
        for oracle in pipeline.oracles
    ]


def _brief(spec: Spec, component: object) -> Spec:
    """Drop the parameters that have their default values."""
    cls: Any = type(component)
    fields = attrs.fields_dict(cls) if attrs.has(cls) else {}
    params = {key: value for key, value in spec.params.items() if key not in fields or fields[key].default != value}
    return Spec(spec.use, params)


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


@attrs.frozen(kw_only=True)
class ChosenPlayer:
    """The player that a command's options choose, which it may make again with another level or other limits."""

    text: str | None
    """Describes the player, as for `player_for`."""
    name: str | None
    """The game as given with --game."""
    game: Game
    """The game itself."""
    registry: Registry
    """The installed components."""
    announce: Announce
    """Receives the progress of long preparations."""

    @property
    def levels(self) -> int:
        """Number of its levels; 0 if the text names one."""
        return levels_for(self.text, self.name, self.game, self.registry)

    def made(self, level: int | None = None, **limits: float | None) -> Player:
        """Make it at one of its levels, with these limits instead of its searcher's own; None: not limited."""
        player = player_for(self.text, self.name, self.game, self.registry, self.announce, level)
        return self.limited(player, **limits)

    def limited(self, player: Player, **limits: float | None) -> Player:
        """Return a variant of it with these limits instead of its searcher's own; None: not limited."""
        return with_limits(player, self.registry, **limits)

    def limits(self, player: Player) -> list[str]:
        """Return the names of the limits that the searcher of a variant has."""
        return limits_of(player, self.registry)
