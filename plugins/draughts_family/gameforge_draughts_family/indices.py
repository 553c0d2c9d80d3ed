"""The indices of moves: for steps the squares from which and to which they lead, for captures roughly these.

Steps come first: one index for each square and each other one on its lines. Nine follow for each square: captures from
there, by whether they end in a row above, below or the same, and in a column to the left, to the right or the same.
Captures that agree in this have successive indices. Squares are seen from the side to move, as in `cells`.
"""

import functools

import numpy as np

from gameforge.interfaces import MoveIndices
from gameforge.kernel import U0, U1, Word, Words
from gameforge_draughts_family.board import Board, board_of
from gameforge_draughts_family.captures import SQUARE_MASK, TAKEN_SHIFT, TO_SHIFT
from gameforge_draughts_family.variant import Variant

_BITS = 64
_6 = np.uint64(6)
_STEPS, _CAPTURES = U1, U1 + np.uint64(_BITS * _BITS)
"""Where the tables begin, with an entry for each pair of bits. Word 0 is the last bit of the board."""


def index(data: Words, s: Words, m: Word) -> Word:
    start, to = m & SQUARE_MASK, (m >> TO_SHIFT) & SQUARE_MASK
    if s[3] & U1 == U0:  # White sees the board turned
        start, to = data[U0] - start, data[U0] - to
    table = _STEPS if m >> TAKEN_SHIFT == U0 else _CAPTURES
    return data[table + (start << _6) + to]


@functools.cache
def moves_of(variant: Variant) -> MoveIndices:
    """Return the indices of a variant."""
    board = board_of(variant)
    steps, captures = np.zeros((_BITS, _BITS), np.uint64), np.zeros((_BITS, _BITS), np.uint64)
    count = 0
    for square, bit in enumerate(board.bits):
        for other in _on_lines(board, square):
            steps[bit, board.bits[other]] = count
            count += 1
    for bit, (row, column) in zip(board.bits, board.places, strict=True):
        for other_bit, (other_row, other_column) in zip(board.bits, board.places, strict=True):
            captures[bit, other_bit] = count + 4 + 3 * np.sign(other_row - row) + np.sign(other_column - column)
        count += 9
    data = np.concatenate([np.array([max(board.bits)], np.uint64), steps.reshape(-1), captures.reshape(-1)])
    return MoveIndices(size=count, index=index, data=data)


def _on_lines(board: Board, square: int) -> list[int]:
    """Return the other squares on the lines along which pieces move."""
    row, column = board.places[square]
    found = []
    for rows, columns in board.axes[:2]:
        for sign in (1, -1):
            for distance in range(1, board.size):
                place = row + sign * distance * rows, column + sign * distance * columns
                if place in board.square_at:
                    found.append(board.square_at[place])
    return found
