"""The eight symmetries of the board, and the four of them that leave the start position as it is.

Symmetry i is made of three bits: 1 turns rows upside down, 2 turns columns round, 4 swaps rows and columns (first).
Black and White keep their discs.
"""

from gameforge.interfaces.rules import State
from gameforge_othello.board import PASS, SQUARES, START

count = 8
"""Symmetries, the identity included."""


def _image(square: int, i: int) -> int:
    row, column = divmod(square, 8)
    if i & 4:
        row, column = column, row
    if i & 2:
        column = 7 - column
    if i & 1:
        row = 7 - row
    return 8 * row + column


IMAGES = tuple(tuple(_image(square, i) for square in range(SQUARES)) for i in range(count))


def move_image(state: State, move: int, i: int) -> int:
    """The move under symmetry i; a pass stays one."""
    return move if move == PASS else IMAGES[i][move]


def state_image(state: State, i: int) -> State:
    """The state under symmetry i."""
    own, opp, side = state
    return _turned(own, i), _turned(opp, i), side


def _turned(word: int, i: int) -> int:
    return sum(1 << IMAGES[i][square] for square in range(SQUARES) if word >> square & 1)


OF_THE_START = tuple(i for i in range(count) if state_image(START, i) == START)
"""All first moves are one move under these four."""
