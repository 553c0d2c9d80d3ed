"""The nets in float64 by coordinates on an 8x8 board, from the README's table of weights, without the plugin's code."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gameforge_draughts.movegen import pieces, to_move
from numpy.typing import NDArray

from gameforge.interfaces.rules import State

Numbers = NDArray[np.float64]
KING_PLACES = {(True, True): 5046, (True, False): 5046, (False, True): 1742, (False, False): 1741}
"""Where K stands, by (windows, piece_diff)."""


def board(state: State, king: float) -> Numbers:
    """8x8 numbers, the mover's own first row first."""
    rows = np.zeros((8, 8))
    for square, (colour, is_king) in pieces(state).items():
        seen = 33 - square if to_move(state) else square
        row, place = divmod(seen - 1, 4)
        column = 2 * place + (1 if row % 2 == 0 else 0)
        rows[row, column] = (king if is_king else 1.0) * (1 if colour == to_move(state) else -1)
    return rows


def windows(rows: Numbers) -> Iterator[Numbers]:
    """What each of the 91 windows sees, its dark squares alone."""
    row, column = np.indices((8, 8))
    is_dark = (row + column) % 2 == 1
    for size in (3, 4, 5, 6, 7, 8):
        for top in range(8 - size + 1):
            for left in range(8 - size + 1):
                part = np.s_[top : top + size, left : left + size]
                yield rows[part][is_dark[part]]


def value(weights: NDArray[Any], state: State, *, has_windows: bool = True, piece_diff: bool = True) -> float:
    """The net's output for the side to move."""
    left = iter(weights.astype(np.float64))

    def take(n: int) -> Numbers:
        return np.array([next(left) for _ in range(n)])

    def layer(x: Numbers, units: int) -> Numbers:
        rows = take(units * len(x)).reshape(units, len(x))
        return np.tanh(rows @ x + take(units))

    rows = board(state, float(weights[KING_PLACES[has_windows, piece_diff]]))
    if has_windows:
        sums = np.array([take(len(part)) @ part for part in windows(rows)])
        x = layer(np.tanh(sums + take(91)), 40)
    else:
        row, column = np.indices((8, 8))
        x = layer(rows[(row + column) % 2 == 1], 40)
    x = layer(x, 10)
    total = take(10) @ x + take(1)[0]
    if piece_diff:
        total += (1.0 if has_windows else take(1)[0]) * rows.sum()
    assert len(list(left)) == 1  # K
    return float(np.tanh(total))
