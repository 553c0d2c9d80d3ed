"""What threads of one search tell each other beside the table: which moves are being searched.

A move that another thread searches at this moment is put off until the others of its node are done; by then the table
knows it (T. Kerrigan's simplification of ABDADA; Weill, "The ABDADA distributed minimax search algorithm", 1996).
The words behind the table hold a hash of position and move, or 0; that two threads write at once only costs time.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline

_1 = np.uint64(1)
BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS
LEAST_DEPTH = np.uint64(3)
"""Nodes nearer to the horizon are not worth the trouble."""
_SHIFT = np.uint64(64 - BUSY_BITS)
_MOVE_SCATTER, _SCATTER = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x9E3779B97F4A7C15)


@inline
def errand(key: Any, move: Any) -> Any:
    """The hash of a position and a move in it."""
    return (key ^ (move * _MOVE_SCATTER)) | _1


@inline
def place(memory: Any, task: Any) -> Any:
    """Where a task stands while it is being done."""
    return np.uint64(len(memory)) - np.uint64(BUSY_WORDS) + ((task * _SCATTER) >> _SHIFT)
