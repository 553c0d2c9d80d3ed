"""The list of the moves that are being searched, which the threads of one search share besides the table.

A move that another thread is searching is put off until the other moves of its node are done; by then the table holds
its score (T. Kerrigan's simplification of ABDADA [Weill1996]). The last words of the memory hold a hash of position
and move, or 0. If two threads write a word at once, they only lose time.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax.hashing import SCATTER

_0, _1 = np.uint64(0), np.uint64(1)
BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS
LEAST_DEPTH = np.uint64(3)
"""Minimum depth of nodes whose moves are announced; the searches of others are too short."""
_SHIFT = np.uint64(64 - BUSY_BITS)
_OF_MOVES = np.uint64(0xBF58476D1CE4E5B9)
"""Another factor, for the move in the hash of a position and a move."""


@inline
def forget_all(memory: Any) -> None:
    """Begin a search: clear the list."""
    for i in range(BUSY_WORDS):
        memory[np.uint64(len(memory)) - np.uint64(i) - _1] = _0


@inline
def announce(memory: Any, key: Any, move: Any) -> None:
    """Announce that this thread searches a move of the position with this key."""
    task = _task(key, move)
    memory[_place(memory, task)] = task


@inline
def is_busy(memory: Any, key: Any, move: Any) -> Any:
    """Whether a thread is searching the move."""
    task = _task(key, move)
    return memory[_place(memory, task)] == task


@inline
def withdraw(memory: Any, key: Any, move: Any) -> None:
    """Withdraw the announcement of a move that has been searched."""
    task = _task(key, move)
    if memory[_place(memory, task)] == task:
        memory[_place(memory, task)] = _0


@inline
def _task(key: Any, move: Any) -> Any:
    """The hash of a position and a move in it."""
    return (key ^ (move * _OF_MOVES)) | _1


@inline
def _place(memory: Any, task: Any) -> Any:
    """Index of the task's word in the memory."""
    return np.uint64(len(memory)) - np.uint64(BUSY_WORDS) + ((task * SCATTER) >> _SHIFT)
