"""Rules and games for callers in Python: single calls of the rules' functions, and single moves of a game.

`RulesCalls` takes states as tuples of words. `Stepper` plays the moves of one game, whose workspace `step` finds in one
block (packed.py).
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import WORD, WORDS
from gameforge.kernel.bits import U0, U1, at
from gameforge.kernel.compile.failures import raise_failure
from gameforge.kernel.compile.functions import Function, compiled_function, failures_of
from gameforge.kernel.compile.jit import COMPILED, wrapping
from gameforge.kernel.context import CompiledRules
from gameforge.kernel.game import GameWorkspace, advance, begin, legal
from gameforge.kernel.packed import packing
from gameforge.kernel.types import Word, Words


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
        functions: tuple[Any, ...] = (rules.gen, rules.play, rules.outcome)
        if isinstance(rules.gen, Function):
            data = rules.data.ctypes.data
            self._gen, self._play, self._outcome = (function.python for function in functions)
            self._data: Any = data
            self._block: Any = ctypes.addressof
        else:  # uncompiled: the plain functions over arrays
            self._gen, self._play, self._outcome = functions
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


BEGIN = (1 << 64) - 1
"""In place of a move: begin a game at the state in GameWorkspace.states."""
_BEGIN = np.uint64(BEGIN)
_N_MOVES = 0
"""Index in the block of the number of legal moves; the workspace follows."""
_pack, _unpack = packing(GameWorkspace)


def step(block: Words, m: Word) -> Word:
    """Play a legal move, or BEGIN; write the number of legal moves to the block, return the code of the state."""
    game = _unpack(at(block, U1))
    if m == _BEGIN:
        begin(game, at(game.states, U0))
    else:
        advance(game, m)
    n, code = legal(game)
    block[_N_MOVES] = n
    return np.uint64(code)


class Stepper:
    """`step` for one workspace."""

    def __init__(self, game: GameWorkspace) -> None:
        self._game = game
        packed = _pack(game)
        self._block = np.concatenate([np.zeros(1, packed.dtype), packed])
        if COMPILED:
            function = compiled_function("step", step, signature=WORD(WORDS, WORD))
            self._step: Callable[[Any, Any], Any] = function.python
            self._first: Any = self._block.ctypes.data
        else:
            self._first = self._block
            self._step = wrapping(step)
        self._failures = failures_of(game.rules)

    def __call__(self, move: int) -> tuple[int, int]:
        """Play a legal move, or BEGIN; return (the number of legal moves, the code of the state)."""
        code = int(self._step(self._first, move if COMPILED else np.uint64(move)))
        raise_failure(self._failures)
        return int(self._block[_N_MOVES]), code
