"""A state is the history of its game: OpenSpiel's actions and passes, 16 bits each, and at the end their number.

A pass is a ply of a side that waits while the other one takes several actions in a row; its code is the number of
OpenSpiel's actions. OpenSpiel itself has no words of a fixed size for a state, and a handle would neither survive the
process nor be equal for equal games.
"""

import ctypes
from array import array
from typing import Any

import numpy as np

from gameforge.interfaces.rules import State
from gameforge.kernel.compile.jit import COMPILED

_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_PLIES_A_WORD = 4
MOST_CODES = 1 << 16


def words_for(plies: int) -> int:
    """Return the number of words of a state that can hold this many plies."""
    return (plies + _PLIES_A_WORD - 1) // _PLIES_A_WORD + 1


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    """Append a ply; rules[0] is the index of the last word."""
    last = rules[0]
    for i in range(last + _1):
        child[i] = s[i]
    n = s[last]
    child[n >> _2] |= m << ((n & _3) << _4)
    child[last] = n + _1


if COMPILED:  # callbacks get pointers

    def read(block: Any, size: int) -> bytes:
        return ctypes.string_at(block, size)

    def write(block: Any, values: "array[Any]") -> None:
        ctypes.memmove(block, values.tobytes(), values.itemsize * len(values))

else:  # and arrays where nothing is compiled

    def read(block: Any, size: int) -> bytes:
        return ctypes.string_at(block.ctypes.data, size)

    def write(block: Any, values: "array[Any]") -> None:
        block[: len(values)] = values


def plies_of(state: State) -> list[int]:
    """Return the plies of a state."""
    return [state[i // _PLIES_A_WORD] >> i % _PLIES_A_WORD * 16 & MOST_CODES - 1 for i in range(state[-1])]


def state_of(plies: list[int], words: int) -> State:
    """Return the state after these plies."""
    state = [0] * words
    for i, ply in enumerate(plies):
        state[i // _PLIES_A_WORD] |= ply << i % _PLIES_A_WORD * 16
    state[-1] = len(plies)
    return tuple(state)
