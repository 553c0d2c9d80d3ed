"""What threads of one search share besides the table: which moves are being searched.

A move that another thread searches at this moment is put off until the other moves of its node are done; by then the
table holds its score (T. Kerrigan's simplification of ABDADA; Weill, "The ABDADA distributed minimax search algorithm",
1996). The words after the table hold a hash of position and move, or 0; two threads that write at once only lose time.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline

_0, _1 = np.uint64(0), np.uint64(1)
BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS
LEAST_DEPTH = np.uint64(3)
"""Moves of nodes closer to the horizon are not announced: their searches are too short."""
_SHIFT = np.uint64(64 - BUSY_BITS)
_MOVE_SCATTER, _SCATTER = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x9E3779B97F4A7C15)


@inline
def forget_all(memory: Any) -> None:
    """Begin a search: no thread is at any move."""
    for i in range(BUSY_WORDS):
        memory[np.uint64(len(memory)) - np.uint64(i) - _1] = _0


@inline
def announce(memory: Any, key: Any, move: Any) -> None:
    """Say that this thread searches a move of the position with this key."""
    task = _task(key, move)
    memory[_place(memory, task)] = task


@inline
def is_busy(memory: Any, key: Any, move: Any) -> Any:
    """Whether some thread searches the move."""
    task = _task(key, move)
    return memory[_place(memory, task)] == task


@inline
def withdraw(memory: Any, key: Any, move: Any) -> None:
    """Say that the move has been searched."""
    task = _task(key, move)
    if memory[_place(memory, task)] == task:
        memory[_place(memory, task)] = _0


@inline
def _task(key: Any, move: Any) -> Any:
    """The hash of a position and a move in it."""
    return (key ^ (move * _MOVE_SCATTER)) | _1


@inline
def _place(memory: Any, task: Any) -> Any:
    return np.uint64(len(memory)) - np.uint64(BUSY_WORDS) + ((task * _SCATTER) >> _SHIFT)
