"""Finished games from files, as the states after each side's moves."""

from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameBoards, GameRecord
from gameforge.interfaces.rules import State
from gameforge.play.game import Game


def finished_games(path: Path, game: Game) -> Iterator[GameBoards | None]:
    """Read the games of a file in order; yields None for a game without a result.

    Raises GameforgeError if the file cannot be read, or if the game has no file format for games.
    """
    if game.files is None:
        raise GameforgeError(f"cannot read {path}: {game.rules.name} has no file format for games")
    boards = None if path.suffix.lower() == game.files.suffix else game.files.read_boards(path)
    if boards is not None:
        yield from boards
        return
    for record in game.files.read_games(path, notice=lambda text: None):
        yield _boards(record, game) if record.finished else None


def _boards(record: GameRecord, game: Game) -> GameBoards:
    boards: tuple[list[State], list[State]] = ([], [])
    state = record.start
    side = game.side_to_move(state)
    for move in record.moves:
        state = game.play(state, move)
        boards[side].append(state)
        side = 1 - side
    return GameBoards(boards=(tuple(boards[0]), tuple(boards[1])), winner=record.outcome.winner)
