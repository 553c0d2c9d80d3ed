"""Distance bytes of a slice: the longest of them, and how the metric mtc keeps them (FORMAT.md)."""

from typing import Any

from gameforge.kernel.abi import LOSS, WIN
from gameforge.kernel.compile.jit import kernel

MOST = 127
"""Plies that metric mtc can keep beside the outcome."""


@kernel
def longest(plies: Any, values: Any, value: Any) -> Any:
    """(plies, position) of the first of the longest distances of positions with this value; -1, -1 if there is none."""
    most, where = -1, -1
    for i in range(plies.size):
        if values[i] == value and plies[i] > most + 1:
            most, where = plies[i] - 1, i
    return most, where


@kernel
def to_mtc(plies: Any, values: Any) -> Any:
    """Distance bytes (0: draw, else 1 + plies) as those of metric mtc, in place."""
    for i in range(plies.size):
        if values[i] == WIN:
            plies[i] = min(plies[i] - 1, MOST)
        elif values[i] == LOSS:
            plies[i] = MOST + 1 + min(plies[i] - 1, MOST)
        else:
            plies[i] = 0
