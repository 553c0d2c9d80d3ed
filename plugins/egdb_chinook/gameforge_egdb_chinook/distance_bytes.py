"""Distance bytes of a slice: the longest distance, and the bytes of the metric mtc (FORMAT.md)."""

from typing import Any

from gameforge.kernel.abi import LOSS, WIN
from gameforge.kernel.compile.jit import kernel

MOST = 127
"""Maximum number of plies that a byte of the metric mtc can hold beside the outcome."""


@kernel
def longest(plies: Any, values: Any, value: Any) -> Any:
    """(plies, position) of the longest distance among positions with this value, the first if several are equal.

    `plies` are distance bytes (0: draw, else 1 + plies). (-1, -1) if no position has the value.
    """
    most, where = -1, -1
    for i in range(plies.size):
        if values[i] == value and plies[i] > most + 1:
            most, where = plies[i] - 1, i
    return most, where


@kernel
def to_mtc(plies: Any, values: Any) -> Any:
    """Convert distance bytes (0: draw, else 1 + plies) to those of the metric mtc, in place."""
    for i in range(plies.size):
        if values[i] == WIN:
            plies[i] = min(plies[i] - 1, MOST)
        elif values[i] == LOSS:
            plies[i] = MOST + 1 + min(plies[i] - 1, MOST)
        else:
            plies[i] = 0
