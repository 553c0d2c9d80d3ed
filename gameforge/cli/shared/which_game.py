"""Inferring the game of a command without the option --game."""

from pathlib import Path

from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.play.complete_games import complete_games
from gameforge.play.game import Game
from gameforge.play.implied_game import implied_game
from gameforge.play.player_text import require_known_parts
from gameforge.plugins.registry import Registry


def game_help(*sources: str) -> str:
    """Return the help of the option --game of a command.

    sources: what can imply the game, such as "player" or "file"; without any, it is implied only if it is the only one.
    """
    if not sources:
        return "Name of the game; needed if several games are installed."
    if len(sources) == 1:
        return f"Name of the game; needed if the {sources[0]} does not imply it."
    return f"Name of the game; needed if neither {', '.join(sources[:-1])} nor {sources[-1]} implies it."


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
