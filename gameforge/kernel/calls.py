"""The functions of rules for callers in Python, with states as tuples of words."""

import ctypes
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.compile.failures import raise_failure
from gameforge.kernel.compile.functions import Function, failures_of
from gameforge.kernel.context import CompiledRules


def _array(words: Any) -> NDArray[np.uint64]:
    return np.frombuffer(words, np.uint64)


class _Scratch(threading.local):
    """Blocks through which Python passes words to the rules' functions; each thread has its own."""

    def __init__(self, words: int, max_moves: int) -> None:
        self.state: Any = (ctypes.c_uint64 * words)()  # its type would not take tuples
        self.child = (ctypes.c_uint64 * words)()
        self.moves = (ctypes.c_uint64 * max_moves)()


class RulesCalls:
    """gen, play and outcome with states as tuples of words; any thread may call them."""

    def __init__(self, rules: CompiledRules) -> None:
        self._keep = rules
        self._scratch = _Scratch(int(rules.words), int(rules.max_moves))
        self._failures = failures_of((rules.gen, rules.play, rules.outcome))
        if isinstance(rules.gen, Function):
            data = rules.data.ctypes.data
            self._gen, self._play, self._outcome = rules.gen.python, rules.play.python, rules.outcome.python
            self._data: Any = data
            self._block: Any = ctypes.addressof
        else:  # uncompiled: the plain functions over arrays
            self._gen, self._play, self._outcome = rules.gen, rules.play, rules.outcome
            self._data = rules.data
            self._block = _array

    def gen(self, state: tuple[int, ...]) -> list[int]:
        """Return the legal moves of a state."""
        scratch = self._scratch
        scratch.state[:] = state
        n = int(self._gen(self._data, self._block(scratch.state), self._block(scratch.moves)))
        raise_failure(self._failures)
        return scratch.moves[:n]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Return the state after a move."""
        scratch = self._scratch
        scratch.state[:] = state
        self._play(self._data, self._block(scratch.state), np.uint64(move), self._block(scratch.child))
        raise_failure(self._failures)
        return tuple(scratch.child)

    def outcome(self, state: tuple[int, ...], n_moves: int) -> int:
        """Return the outcome code of a state that has n_moves legal moves."""
        scratch = self._scratch
        scratch.state[:] = state
        code = int(self._outcome(self._data, self._block(scratch.state), np.uint64(n_moves)))
        raise_failure(self._failures)
        return code
