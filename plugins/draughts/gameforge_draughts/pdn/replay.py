"""Moves that are known by their first and last squares, found among the legal ones by a kernel.

In the words of moves of all kinds of draughts the lowest twelve bits are the bits of these squares, six each. A move
that shares them with another legal move is left to Python, and so is a text that names more squares.
"""

import numpy as np

from gameforge.interfaces import State
from gameforge.kernel import U0, CompiledRules, Word, WordArray, at, inline, kernel

SQUARE_BITS = 6
_ENDS = np.uint64((1 << 2 * SQUARE_BITS) - 1)
UNCLEAR = (1 << 64) - 1
"""The word of a text that the kernel leaves to Python."""


def ends_word(first: int, last: int) -> int:
    """Return the word of a text that names two squares, given by their bits."""
    return first | last << SQUARE_BITS


class Replay:
    """A line that is being played: its state, and the workspace of the kernel."""

    def __init__(self, rules: CompiledRules, start: State) -> None:
        self._rules = rules
        self._state = np.array(start, np.uint64)
        self._child = np.empty_like(self._state)
        self._legal = np.empty(int(rules.max_moves), np.uint64)

    def play(self, written: WordArray, played: WordArray) -> int:
        """Play written moves until one is unclear; write them to `played`, and return the number of moves played."""
        return int(_by_ends(self._rules, self._state, self._child, self._legal, written, played))

    @property
    def state(self) -> State:
        """The state after the moves that were played."""
        found: State = tuple(self._state.tolist())
        return found

    @state.setter
    def state(self, state: State) -> None:
        self._state[:] = state


@inline
def _meant(written: Word, legal: WordArray, n: Word) -> Word:
    """Return the index of the only move with these ends; n if there is none, or if several have them."""
    found = n
    for i in range(n):
        if legal[i] & _ENDS == written:
            if found != n:
                return n
            found = np.uint64(i)
    return found


@kernel
def _by_ends(
    rules: CompiledRules,
    state: WordArray,
    child: WordArray,
    legal: WordArray,
    written: WordArray,
    played: WordArray,
) -> np.int64:
    data = at(rules.data, U0)
    for i in range(len(written)):
        n = rules.gen(data, at(state, U0), at(legal, U0))
        j = _meant(written[i], legal, n)
        if j == n:
            return np.int64(i)
        played[i] = legal[j]
        rules.play(data, at(state, U0), legal[j], at(child, U0))
        for k in range(len(state)):
            state[k] = child[k]
    return np.int64(len(written))
