"""The game and the player that the options of a command describe, and the limits of its search."""

import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import attrs

from gameforge.config import Spec, structure, unstructure
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.game import Game, complete_games
from gameforge.play.player import LIMITS, Player, limit_names, limited
from gameforge.play.player_plan import PlayerPlan
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import game_of_file, reads_file
from gameforge.records.tables import is_games_db


def game_for(
    registry: Registry,
    name: str | None,
    position: str | None = None,
    file: Path | None = None,
    among: Collection[str] | None = None,
) -> Game:
    """Return the game with this name (NAME:key=value sets its parameters), or infer it if `name` is None.

    The inferred game is that of a database in `file`, the only installed game, the only one that can read `position`,
    or the only one that reads files with the suffix of `file`. Of several games, those that must be named do not count
    (Defaults.named_only). among: names of the games that can be meant; None: all. Raises GameforgeError if no game or
    several games fit.
    """
    if name is not None:
        return Game(registry.create("rules", Spec.parse(name)))
    if file is not None and is_games_db(file):
        return game_of_file(file, registry)
    known = {
        key: game for key, game in complete_games(registry).items() if among is None or key.rpartition("/")[2] in among
    }
    games = list(known.values())
    if len(games) > 1 and position is not None:
        games = [game for game in games if _reads(game, position)]
    if len(games) > 1 and file is not None:
        games = [game for game in games if reads_file(game, file)]
    if len(games) > 1:
        games = [game for game in games if not (game.defaults and game.defaults.named_only)]
    if len(games) == 1:
        return games[0]
    if not games and position is not None and file is None:
        raise GameforgeError(
            f"no game can read the position {position!r}; with --game NAME, its game says why "
            f"(known: {', '.join(known) or 'none'})"
        )
    which = f" for {file}" if file else "" if position is None else f" for the position {position!r}"
    raise GameforgeError(f"cannot infer the game{which}; give --game NAME (known: {', '.join(known) or 'none'})")


def _reads(game: Game, position: str) -> bool:
    try:
        game.parse_position(position)
    except GameforgeError:
        return False
    return True


def plan_for(
    workshop: Workshop,
    text: str | None,
    game: str | None,
    *,
    position: str | None = None,
    file: Path | None = None,
    level: int | None = None,
    oracles: Sequence[str] = (),
) -> PlayerPlan:
    """Plan the player that a text describes; None: the default player of the game.

    game: the value of --game; None: the game that the text implies, or else the one that `game_for` infers. level: one
    of its levels. oracles: replace those of the player at its full strength, unless its text names its own. Raises
    GameforgeError for a player of another game, and if the game has no default player.
    """
    registry = workshop.registry
    read = None if text is None else workshop.read(text)
    if game is None and (read is None or read.game is None):
        if read is not None:
            read.require_known(registry)
        among = (read.games or None) if read is not None else None  # without a common game, --game says what is wrong
        game = game_for(registry, None, position, file, among).rules.name
    if read is None:
        rules = game_for(registry, game).rules
        default = registry.defaults(rules).player
        if not default:
            raise GameforgeError(f"{rules.name} has no default player; give one, such as 'SEARCHER + EVALUATOR'")
        read = workshop.read(default)
    return workshop.plan(read, game, level=level, oracles=oracles)


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
    spec = Spec.from_settings(player.spec["searcher"], "searcher")
    cls = registry.load(registry.find("searcher", spec.use, rules.name))
    known = limits_of(player, registry)
    for name in given:
        if name not in known:
            allowed = f"allowed: {', '.join(known)}" if known else "it cannot be limited"
            raise GameforgeError(f"searcher {spec.use} has no limit {name!r}; {allowed}")
    searcher = structure(cls, limited(spec.params, given), "searcher")
    working = registry.composed(searcher, rules)
    settings = {**player.spec, "searcher": {"use": spec.use, **unstructure(searcher)}}
    own = re.sub(rf" \((?:{'|'.join(LIMITS)}) [^()]*\)$", "", player.name)  # without the limits of another call
    name = f"{own} ({', '.join(f'{key} {value:g}' for key, value in given.items())})"
    return Player(player.parts.with_searcher(working), player.weights, name, settings)


def limits_of(player: Player, registry: Registry) -> list[str]:
    """Return the names of the limits that the player's searcher has."""
    spec = Spec.from_settings(player.spec["searcher"], "searcher")
    cls = registry.load(registry.find("searcher", spec.use, player.game.rules.name))
    return limit_names(cls)


@attrs.frozen(kw_only=True)
class ChosenPlayer:
    """The player that a command's options choose, which it may make again with another level or other limits."""

    workshop: Workshop
    """Builds it."""
    plan: PlayerPlan
    """What the options say about it."""

    @classmethod
    def of(cls, text: str | None, game: str | None, workshop: Workshop) -> "ChosenPlayer":
        """Choose the player that a text describes; None: the default player of the game. game: as given with --game."""
        return cls(workshop=workshop, plan=plan_for(workshop, text, game))

    @property
    def levels(self) -> int:
        """Number of its levels; 0 if the text names one."""
        return self.plan.levels

    def made(self, level: int | None = None, **limits: float | None) -> Player:
        """Make it at one of its levels, with these limits instead of its searcher's own; None: not limited."""
        return self.limited(self.workshop.build(self.plan.at_level(level, self.workshop.registry)), **limits)

    def limited(self, player: Player, **limits: float | None) -> Player:
        """Return a variant of it with these limits instead of its searcher's own; None: not limited."""
        return with_limits(player, self.workshop.registry, **limits)

    def limits(self, player: Player) -> list[str]:
        """Return the names of the limits that the searcher of a variant has."""
        return limits_of(player, self.workshop.registry)
