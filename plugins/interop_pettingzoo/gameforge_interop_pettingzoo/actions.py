"""Moves as actions: a number for each legal move that means the same in every process and in every game."""

from collections.abc import Sequence

from gameforge.interfaces.rules import State
from gameforge.play.game import Game


class Actions:
    """The actions of a game.

    If the rules have a board, a move is the pair of the first and the last cell of its path: C * first + last for C
    cells. C * C is a move without a cell, such as a pass. The few further moves between the same cells, such as
    another way of capturing, follow in the order of their words. Without a board, an action is the place of the move
    among the legal moves, sorted by their words.
    """

    def __init__(self, game: Game) -> None:
        board = getattr(game.rules, "board", None)
        self._path = None if board is None else board.path
        self._cells = 0 if board is None else len(board.places)
        self._first_spare = 0 if board is None else self._cells**2 + 1
        self.size: int = self._first_spare + game.rules.functions().max_moves
        """Number of actions, legal or not."""

    def legal(self, state: State, moves: Sequence[int]) -> dict[int, int]:
        """Return the legal moves by their actions."""
        found: dict[int, int] = {}
        spare = self._first_spare
        for move in sorted(moves):
            action = self._between(state, move)
            if action is None or action in found:
                action, spare = spare, spare + 1
            found[action] = move
        return found

    def _between(self, state: State, move: int) -> int | None:
        if self._path is None:
            return None
        path = self._path(state, move)
        return self._cells * path[0] + path[-1] if path else self._cells**2
