"""Make examples from files of games: every position, with the result for the side that has just moved."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameBoards
from gameforge.play.finished_games import finished_games
from gameforge.play.game import Game
from gameforge_examples.folder import ExampleFolder, open_batch
from gameforge_examples.rows import Rows, joined, row_type

_GAMES = 2000
"""Number of games in a shard."""


def read_games_into(
    out: Path,
    game: Game,
    paths: Sequence[Path],
    *,
    append: bool = False,
    progress: Callable[[int, int], None] = lambda games, examples: None,
) -> ExampleFolder:
    """Make examples from the finished games of files, or resume an interrupted batch.

    Utilities are 1 for the winner, -1 for the loser and 0 for a draw; each example has one visit. progress: called with
    the numbers of games and examples so far. Raises GameforgeError if a file cannot be read, if no file has a finished
    game, or if `out` holds other examples and `append` is not set.
    """
    made = {"by": "games", "files": [{"name": path.name, "sha256": _digest(path)} for path in paths]}
    with open_batch(ExampleFolder.new(out, game), made, append) as folder:
        done, left_out, games = folder.batches[-1].matches, 0, 0
        before = folder.matches - done
        waiting: list[Rows] = []
        for path in paths:
            for one in finished_games(path, game):
                if one is None:
                    left_out += 1
                    continue
                games += 1
                if games <= done:
                    continue
                waiting.append(_rows(one, before + games - 1, game))
                if len(waiting) == _GAMES:
                    folder = _written(folder, waiting)
                    waiting = []
                    progress(folder.matches, folder.examples)
        if games == 0:
            raise GameforgeError(f"{', '.join(map(str, paths))}: no game has a result, so there is nothing to learn")
        if waiting:
            folder = _written(folder, waiting)
        return folder.finish({"left_out": left_out})


def _written(folder: ExampleFolder, games: Sequence[Rows]) -> ExampleFolder:
    rows = joined(games, folder.words)
    folder.require_room(len(rows))
    return folder.append(rows, len(games))


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from error


def _rows(one: GameBoards, match: int, game: Game) -> Rows:
    """The positions of a game: those after the first player's moves, then those after the second player's."""
    found = []
    for side, boards in enumerate(one.boards):
        rows = np.zeros(len(boards), row_type(game.functions.words))
        if boards:
            rows["state"] = np.array(boards, np.uint64)
            rows["ply"] = 2 * np.arange(len(boards)) + side
            result = 0 if one.winner is None else 1 if one.winner == side else -1
            rows["utility"], rows["result"] = result, result
            rows["visits"], rows["match"], rows["mover"] = 1, match, side
        found.append(rows)
    return np.concatenate(found)
