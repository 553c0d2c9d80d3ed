"""Random positions, and the kernel functions as Python calls, for the tests of this plugin."""

from typing import Any

import numpy as np
from gameforge_draughts.movegen import BLACK, MAX_MOVES, MEN, WHITE, state_of
from gameforge_draughts.rules import Draughts
from hypothesis import strategies as st

from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_rules
from gameforge.kernel.compile.functions import Function

_MASK = st.integers(0, 2**32 - 1)
_KING_ROW = {BLACK: range(29, 33), WHITE: range(1, 5)}


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Draw any possible position: up to 12 pieces per side, from none to all of them kings."""
    occupied = draw(_MASK) & draw(st.one_of(st.just(2**32 - 1), _MASK))
    black = draw(_MASK)
    kings = draw(st.one_of(st.sampled_from([0, 2**32 - 1]), _MASK))
    return placed(occupied, black, kings, draw(st.integers(0, 1)))


def placed(occupied: int, black: int, kings: int, side: int) -> State:
    """Return a possible position from masks of the squares (bit n: square n + 1)."""
    pieces: dict[int, tuple[int, bool]] = {}
    left = [MEN, MEN]
    for square in range(1, 33):
        bit = 1 << (square - 1)
        colour = BLACK if black & bit else WHITE
        if occupied & bit and left[colour]:
            left[colour] -= 1
            pieces[square] = colour, bool(kings & bit) or square in _KING_ROW[colour]
    return state_of(side, pieces)


class Kernel:
    """gen, play, ... of rules or of a module of plain functions, on tuples of integers."""

    def __init__(self, functions: Any) -> None:
        self.functions = functions
        self._moves = np.zeros(MAX_MOVES, np.uint64)
        self._data = np.zeros(1, np.uint64)

    def legal(self, state: State) -> list[int]:
        n = self._call("gen", _words(state), self._moves)
        return [int(move) for move in self._moves[: int(n)]]

    def play(self, state: State, move: int) -> State:
        child = np.zeros(3, np.uint64)
        self._call("play", _words(state), np.uint64(move), child)
        return tuple(int(word) for word in child)

    def outcome(self, state: State, n_moves: int) -> int:
        return int(self._call("outcome", _words(state), np.uint64(n_moves)))

    def irreversible(self, state: State, move: int) -> int:
        return int(self._call("irreversible", _words(state), np.uint64(move)))

    def retracts(self, before: int, move: int) -> int:
        return int(self._call("retracts", np.uint64(before), np.uint64(move)))

    def _call(self, name: str, *arguments: Any) -> Any:
        function = getattr(self.functions, name)
        if isinstance(function, Function):
            return function.python(*(_as_c(argument) for argument in (self._data, *arguments)))
        with np.errstate(over="ignore"):
            return function(self._data, *arguments)


def _words(state: State) -> Any:
    return np.array(state, np.uint64)


def _as_c(argument: Any) -> int:
    return argument.ctypes.data if isinstance(argument, np.ndarray) else int(argument)


def compiled() -> Kernel:
    return Kernel(compiled_rules(Draughts().functions()))
