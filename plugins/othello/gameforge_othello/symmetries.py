"""The eight symmetries of the board, and the four of them that leave the initial position unchanged.

The bits of i, the number of a symmetry: 1 reverses the rows, 2 reverses the columns, and 4, which is applied first,
swaps rows and columns. Black and White keep their discs.
"""

from gameforge.interfaces.rules import State
from gameforge_othello.board import PASS, SQUARES, START

count = 8
"""Number of symmetries, the identity included."""


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
    """Return the image of a move under symmetry i; a pass remains a pass."""
    return move if move == PASS else IMAGES[i][move]


def state_image(state: State, i: int) -> State:
    """Return the image of a state under symmetry i."""
    own, opp, side = state
    return _turned(own, i), _turned(opp, i), side


def _turned(word: int, i: int) -> int:
    return sum(1 << IMAGES[i][square] for square in range(SQUARES) if word >> square & 1)


OF_THE_START = tuple(i for i in range(count) if state_image(START, i) == START)
"""The symmetries of the initial position, under which all first moves are equivalent."""
