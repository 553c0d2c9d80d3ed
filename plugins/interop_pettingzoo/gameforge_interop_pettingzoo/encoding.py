"""What an agent does and sees: moves as numbered actions, the inputs of a feature map, and which actions are legal."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gameforge import Game, default_registry
from gameforge.interfaces import State, parse_spec
from gameforge.kernel import FloatArray, block, bound, compiled_function


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


BITS = "bits"
"""The feature map that fits any game."""


class Observer:
    """A feature map, ready to be applied to states; the map's own viewpoint is kept."""

    def __init__(self, game: Game, features: str = BITS) -> None:
        component = default_registry().create("features", parse_spec(features), game.rules.name)
        functions = component.functions(game.rules)
        features = compiled_function("features", functions.features, compiled=functions.compiled)
        self.inputs: int = functions.inputs
        self._state, self._seen = np.zeros(game.functions.words, np.uint64), np.zeros(self.inputs, np.float32)
        self._look = bound(features, block(functions.data), self._state, self._seen)

    def __call__(self, state: State) -> FloatArray:
        """Return the inputs for a state."""
        self._state[:] = state
        self._seen[:] = 0
        self._look()
        return self._seen.copy()


Mask: TypeAlias = NDArray[np.int8]
"""1 for each legal action and 0 for the others."""


def mask(size: int, legal: Iterable[int]) -> Mask:
    """Return 1 for each legal action and 0 for the others."""
    marked = np.zeros(size, np.int8)
    marked[list(legal)] = 1
    return marked
