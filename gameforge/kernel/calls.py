"""Rules and games for callers in Python: single calls of the rules' functions, and single moves of a game.

`RulesCalls` takes states as tuples of words. `Stepper` plays the moves of one game: a kernel takes its arguments from
Python one by one, dozens of blocks and functions, which takes longer than a move, so `step` finds them in one block of
addresses instead.
"""

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gameforge.kernel.abi import SIGNATURES, WORD, WORDS
from gameforge.kernel.bits import at
from gameforge.kernel.compile.failures import raise_failure
from gameforge.kernel.compile.functions import Function, compiled_function, failures_of, python_of
from gameforge.kernel.compile.jit import COMPILED, inline, wrapping
from gameforge.kernel.context import CompiledRules
from gameforge.kernel.game import GameWorkspace, advance, begin, legal
from gameforge.kernel.types import Word, WordArray, Words


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
        functions = rules.gen, rules.play, rules.outcome
        self._failures = failures_of(functions)
        self._gen, self._play, self._outcome = map(python_of, functions)
        self._data = rules.data.ctypes.data if COMPILED else rules.data
        self._block = ctypes.addressof if COMPILED else np.ctypeslib.as_array

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
_BEGIN, _0 = np.uint64(BEGIN), np.uint64(0)
_N_MOVES = 0
"""Index in the block of the number of legal moves; the addresses follow."""

if TYPE_CHECKING:

    def _workspace(block: Words) -> GameWorkspace: ...

elif not COMPILED:

    def _workspace(block):
        return block[1]

else:

    def _from_word(result, convert):
        """Make an intrinsic that makes a value of a type from a word."""

        @intrinsic
        def value(typing, word):
            return result(types.uint64), lambda context, builder, _, args: convert(context, builder, args[0])

        return value

    def _pointer_to(element):
        kind = types.CPointer(element)
        return _from_word(kind, lambda context, builder, word: builder.inttoptr(word, context.get_value_type(kind)))

    def _function(name):
        kind = types.FunctionType(SIGNATURES[name])

        def convert(context, builder, word):
            function = cgutils.create_struct_proxy(kind)(context, builder)
            function.c_addr = builder.inttoptr(word, cgutils.voidptr_t)
            return function._getvalue()

        return _from_word(kind, convert)

    _words, _integers = _pointer_to(types.uint64), _pointer_to(types.int64)
    _gen, _play, _outcome, _key = map(_function, ("gen", "play", "outcome", "key"))
    _irreversible, _retracts, _noisy = map(_function, ("irreversible", "retracts", "noisy"))

    @inline
    def _workspace(block):
        """Make the workspace from the block of `addresses`."""
        rules = CompiledRules(
            _gen(block[1]),
            _play(block[2]),
            _outcome(block[3]),
            _key(block[4]),
            _irreversible(block[5]),
            _retracts(block[6]),
            _noisy(block[7]),
            _words(block[8]),
            block[9],
            block[10],
            block[11],
            block[12],
        )
        return GameWorkspace(
            rules,
            _integers(block[13]),
            _words(block[14]),
            _words(block[15]),
            _words(block[16]),
            _words(block[17]),
            _integers(block[18]),
            _integers(block[19]),
        )


def _word(value: Any) -> int:
    """Return the word of a function, an array or a number of the workspace."""
    if isinstance(value, Function):
        return value.__wrapper_address__()
    return int(value.ctypes.data) if isinstance(value, np.ndarray) else int(value)


def addresses(game: GameWorkspace) -> WordArray:
    """Return the block from which `step` makes the workspace again, which must live as long."""
    return np.array([0, *map(_word, game.rules), *map(_word, game[1:])], np.uint64)


def step(block: Words, m: Word) -> Word:
    """Play a legal move, or BEGIN; write the number of legal moves to the block, return the code of the state."""
    game = _workspace(block)
    if m == _BEGIN:
        begin(game, at(game.states, _0))
    else:
        advance(game, m)
    n, code = legal(game)
    block[_N_MOVES] = n
    return np.uint64(code)


class Stepper:
    """`step` for one workspace."""

    def __init__(self, game: GameWorkspace) -> None:
        self._game = game
        if COMPILED:
            self._block: Any = addresses(game)
            self._first: Any = self._block.ctypes.data
            self._step = python_of(compiled_function("step", step, signature=WORD(WORDS, WORD)))
        else:
            self._block = self._first = [0, game]
            self._step = wrapping(step)
        self._failures = failures_of(game.rules)

    def __call__(self, move: int) -> tuple[int, int]:
        """Play a legal move, or BEGIN; return (the number of legal moves, the code of the state)."""
        code = int(self._step(self._first, move if COMPILED else np.uint64(move)))
        raise_failure(self._failures)
        return int(self._block[_N_MOVES]), code
