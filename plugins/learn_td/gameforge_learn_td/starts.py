"""Starting positions of training games, made from the boards of the settings."""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game
from gameforge_learn_td.settings import Board


@attrs.frozen(eq=False)
class Start:
    """A starting position of training games, with its rewards."""

    state: State
    first: int
    """Side to move."""
    rewards: NDArray[np.float64]
    """[win, loss, draw for the player who moves at even plies, draw for the one who moves at odd plies]."""
    clone_points: int


def starts(boards: Sequence[Board], game: Game) -> list[Start]:
    """The starting positions of these boards.

    Raises GameforgeError if a board is not a position of the game, or if the game is over on it.
    """
    return [_start(board, game, f"learner.boards.{i}.position") for i, board in enumerate(boards)]


def _start(board: Board, game: Game, where: str) -> Start:
    state = game.rules.initial()
    if board.position:
        try:
            state = game.parse_position(board.position)
        except GameforgeError as error:
            raise GameforgeError(f"{where}: {error}") from error
        legal = game.legal(state)
        if not legal or game.code(state, len(legal)):
            raise GameforgeError(f"{where}: the game is over in {board.position}, so there is nothing to learn from")
    first = game.rules.side_to_move(state)
    draws = (board.draw_first, board.draw_second)
    return Start(state, first, np.array([1, -1, draws[first], draws[1 - first]], np.float64), board.clone_points)
