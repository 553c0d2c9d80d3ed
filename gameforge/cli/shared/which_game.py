"""Which game a command means, where the option --game may be left out."""

from pathlib import Path

from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.plugins.registry import Registry


def game_for(registry: Registry, name: str | None, position: str | None = None, file: Path | None = None) -> Game:
    """The game of this name (NAME:key=value sets its rules); without one, the only game there is.

    Among several, the only one that can read `position` as one of its own, or whose files end like
    `file`. Raises GameforgeError, which asks for --game, if that leaves none or more than one.
    """
    if name is not None:
        return Game(registry.create("rules", parse_spec(name)))
    known = registry.names("rules")
    games = [Game(registry.create("rules", parse_spec(each))) for each in known]
    if len(games) > 1 and position is not None:
        games = [game for game in games if _reads(game, position)]
    if len(games) > 1 and file is not None:
        games = [g for g in games if g.files is not None and g.files.suffix == file.suffix.lower()]
    if len(games) == 1:
        return games[0]
    which = f" for {file}" if file else "" if position is None else f" for the position {position!r}"
    raise GameforgeError(f"no game is named{which}; give --game NAME (known: {', '.join(known) or 'none'})")


def _reads(game: Game, position: str) -> bool:
    try:
        game.parse_position(position)
    except GameforgeError:
        return False
    return True
