"""Games that others have played, as the positions that each side left behind."""

from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import HasGameFiles, HasTrainingFiles
from gameforge.interfaces.games import StoredGame, TrainingGame
from gameforge.interfaces.rules import State
from gameforge.play.game import Game


def finished_games(path: Path, game: Game) -> Iterator[TrainingGame | None]:
    """The games of a file in its order; None for one without a result.

    Raises GameforgeError if the file cannot be read, and if the game has no files of games.
    """
    rules = game.rules
    if isinstance(rules, HasGameFiles) and (
        path.suffix.lower() == rules.game_suffix or not isinstance(rules, HasTrainingFiles)
    ):
        for stored in rules.read_games(path, notice=lambda text: None):
            yield _boards(stored, game) if stored.finished else None
    elif isinstance(rules, HasTrainingFiles):
        yield from rules.training_games(path)
    else:
        raise GameforgeError(f"{rules.name} has no files of games to read {path} as")


def _boards(stored: StoredGame, game: Game) -> TrainingGame:
    boards: tuple[list[State], list[State]] = ([], [])
    state = stored.start
    side = game.rules.side_to_move(state)
    for move in stored.moves:
        state = game.play(state, move)
        boards[side].append(state)
        side = 1 - side
    return TrainingGame(boards=(tuple(boards[0]), tuple(boards[1])), winner=stored.winner)
