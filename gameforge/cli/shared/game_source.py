"""Games to look at: a file in the game's own format, or the games of a run or match folder."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from gameforge.cli.shared.figures_text import counted
from gameforge.cli.shared.which_game import game_for
from gameforge.config import spec_from_settings
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena.match_folder import MATCH_FORMAT, RECORDS
from gameforge.play.game import Game
from gameforge.play.replay import check_record
from gameforge.plugins.registry import Registry
from gameforge.storage.log import read_log
from gameforge.storage.stored import read_as
from gameforge.training.run_folder import RUN_FORMAT, pipeline_settings


def games_file(path: Path) -> Path:
    """Return the path of a file, or of the file of games in the folder of a run or match.

    Raises GameforgeError if there is no such file, or if the folder has none.
    """
    if path.is_file():
        return path
    if not path.is_dir():
        raise GameforgeError(f"there is no file {path}")
    found = sorted(file for file in path.glob("games.*") if file.suffix not in (".txt", ".jsonl"))
    if len(found) == 1:
        return found[0]
    if (path / RECORDS).is_file():
        return path / RECORDS
    raise GameforgeError(f"{path} has no file of games that can be read (games.pdn, for example, or {RECORDS})")


def game_in(
    path: Path, number: int, registry: Registry, name: str | None, encoding: str, notice: Callable[[str], None]
) -> tuple[Game, GameRecord]:
    """Return the game with this number, counted from 1, of a file or folder, and the rules of the game.

    name: as given with --game; None takes the game of the folder, or infers it from the file. Raises GameforgeError if
    the file cannot be read or has fewer games, or if the game contradicts the rules.
    """
    file = games_file(path)
    game = game_for(registry, name or _game_of_folder(file.parent if file.name == RECORDS else path), file=file)
    if file.name == RECORDS:
        records = iter(read_log(file, lambda stored: read_as(GameRecord, stored)))
    else:
        records = _read(game, file, encoding, notice)
    first = list(islice(records, number))
    if not first:
        raise GameforgeError(f"{file} has no games that can be read")
    if len(first) < number:
        raise GameforgeError(f"--number {number}: {file} has only {counted(len(first), 'game')}")
    found = first[-1]
    if file.name == RECORDS:
        check_record(game, found)
    return game, found


def _read(game: Game, file: Path, encoding: str, notice: Callable[[str], None]) -> Iterator[GameRecord]:
    if game.files is None:
        raise GameforgeError(f"{file}: {game.rules.name} cannot read files of games")
    return game.files.read_games(file, encoding=encoding, notice=notice)


def _game_of_folder(folder: Path) -> str | None:
    """Return the game of the match or run in a folder; None if there is neither."""
    form = next((one for one in (MATCH_FORMAT, RUN_FORMAT) if one.path(folder).is_file()), None)
    if form is None:
        return None
    try:
        settings = (
            MATCH_FORMAT.read(folder)["players"][0]["parts"] if form is MATCH_FORMAT else pipeline_settings(folder)
        )
        return str(spec_from_settings(settings["game"], "game"))
    except (KeyError, IndexError, TypeError) as error:
        raise GameforgeError(f"{form.path(folder)} is damaged: it does not name the game") from error
