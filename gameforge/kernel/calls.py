"""The rules' functions for callers in Python: one call, words in, words out."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.compile.functions import Function
from gameforge.kernel.context import CompiledRules


def _array(words: Any) -> NDArray[np.uint64]:
    return np.frombuffer(words, np.uint64)


class RulesCalls:
    """gen, play and outcome over tuples of words; `scratch` holds the caller's blocks (game.py)."""

    def __init__(self, table: CompiledRules) -> None:
        self._table = table
        self._keep = table.data
        if isinstance(table.gen, Function):
            data = table.data.ctypes.data
            self._gen, self._play, self._outcome = table.gen.python, table.play.python, table.outcome.python
            self._data: Any = data
            self._block: Any = ctypes.addressof
        else:  # uncompiled: the plain functions over arrays
            self._gen, self._play, self._outcome = table.gen, table.play, table.outcome
            self._data = table.data
            self._block = _array

    def _check(self) -> None:
        for function in (self._table.gen, self._table.play, self._table.outcome):
            if isinstance(function, Function):
                function.check()

    def gen(self, state: tuple[int, ...], scratch: Any) -> list[int]:
        """Legal moves of a state."""
        scratch.state[:] = state
        n = int(self._gen(self._data, self._block(scratch.state), self._block(scratch.moves)))
        self._check()
        return scratch.moves[:n]  # type: ignore[no-any-return]

    def play(self, state: tuple[int, ...], move: int, scratch: Any) -> tuple[int, ...]:
        """The state after a move."""
        scratch.state[:] = state
        self._play(self._data, self._block(scratch.state), np.uint64(move), self._block(scratch.child))
        self._check()
        return tuple(scratch.child)

    def outcome(self, state: tuple[int, ...], n_moves: int, scratch: Any) -> int:
        """Outcome code of a state that has n_moves legal moves."""
        scratch.state[:] = state
        code = int(self._outcome(self._data, self._block(scratch.state), np.uint64(n_moves)))
        self._check()
        return code
