"""The settings of a variant as words: the first block of every kernel function.

Directions are numbered 0 to 7: 2 * axis, plus 1 for the way down. A set of directions is a word with a bit for each.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from gameforge_draughts_family.board import BLACK, ENDINGS, NO_ENDINGS, WHITE, Board, Variant, board_of

SQUARES = np.uint64(0)
"""All squares."""
SHIFT = np.uint64(1)
"""Bits of a step along each of four axes."""
SOURCE = np.uint64(5)
"""For each direction, the squares from which a step stays on the board."""
MEN_STEPS = np.uint64(13)
"""For each colour, the directions in which men move."""
MEN_JUMPS = np.uint64(15)
"""For each colour, the directions in which men capture."""
KING_JUMPS = np.uint64(17)
"""The directions in which kings capture."""
LAST_ROW = np.uint64(18)
"""For each colour, the squares on which its men are crowned."""
FLYING = np.uint64(20)
"""How far kings move: 0 one square, 1 any distance, or HALTING."""
KINGS_SAFE = np.uint64(21)
"""Whether kings are safe from men."""
PROMOTION = np.uint64(22)
"""What becomes of a man that reaches the last row in a capture: PASS, STOP or CONTINUE."""
AT_ONCE = np.uint64(23)
"""Whether captured pieces are removed at once."""
MAJORITY = np.uint64(24)
"""Which captures may be played: FREE, NUMBER or VALUE."""
BY_KING = np.uint64(25)
MOST_KINGS = np.uint64(26)
KING_FIRST = np.uint64(27)
APART = np.uint64(28)
"""Whether captures that differ only in their route are different moves."""
GOAL = np.uint64(29)
"""Who wins: BLOCK, LOSE or KING."""
KING_MOVES = np.uint64(30)
"""How often in a row the same king may move; 0: as often as it likes."""
STACK = np.uint64(31)
"""Where in the block of moves the search for captures has its stack: the number of moves that fit before it."""
MOST_PIECES = np.uint64(32)
"""Maximum number of pieces in an ending; 0 if there are no limits."""
ENDING_COUNT = np.uint64(33)
ENDING_ROWS = np.uint64(34)
ENDING_WORDS = np.uint64(5)
"""Words of an ending: minimum and maximum number of pieces, whether one side has a lone king, minimum number of kings
of the other side, plies."""

HALTING = np.uint64(2)
"""Kings move any distance, but land right behind each piece that they capture."""
PASS, STOP, CONTINUE = (np.uint64(n) for n in range(3))
FREE, NUMBER, VALUE = (np.uint64(n) for n in range(3))
BLOCK, LOSE, KING = (np.uint64(n) for n in range(3))
_KINGS = ("short", "flying", "halting")
_PROMOTIONS, _MAJORITIES = ("pass", "stop", "continue"), ("free", "number", "value")
GOALS = ("block", "lose", "king")
"""Values of the setting `goal`, by these numbers."""

FRAME = 8
"""Words of a frame on the stack of a capture (captures.py)."""
_LISTS = {8: 512, 10: 1024}
"""Size of the board -> words of a block of moves, of which the stack takes the last."""


def max_moves(board: Board) -> int:
    """Return the number of words of a block of moves."""
    return _LISTS[board.size]


def men_steps(variant: Variant) -> tuple[int, int]:
    """Return the directions in which men of each colour move."""
    return (0b1101, 0b1110) if variant.layout == "8x8-orthogonal" else (0b0101, 0b1010)


def jumps(variant: Variant) -> tuple[int, int, int]:
    """Return the directions in which White's men, Black's men, and kings capture."""
    axes = 4 if variant.lines == "all" else 2
    every = (1 << 2 * axes) - 1
    if variant.men_capture == "backwards":
        return every, every, every
    white, black = men_steps(variant)
    if axes == 4:
        white, black = white | 0b01110000, black | 0b10110000  # sideways, and straight ahead
    return white, black, every


@functools.cache
def settings(variant: Variant, routes: str) -> NDArray[np.uint64]:
    """Return the settings of a variant; routes: `once` or `apart`, for captures that differ only in their route."""
    board = board_of(variant)
    orthogonal = variant.layout == "8x8-orthogonal"
    endings = ENDINGS.get(variant.endings, NO_ENDINGS)
    shifts = (8, 1, 0, 0) if orthogonal else (board.size // 2, board.size // 2 + 1, 1, board.size + 1)
    words = [
        board.mask(list(range(len(board.places)))),
        *shifts,
        *(_sources(board, direction) for direction in range(8)),
        *men_steps(variant),
        *jumps(variant),
        *(_last_row(board, colour) for colour in (WHITE, BLACK)),
        _KINGS.index(variant.kings),
        not variant.men_take_kings,
        _PROMOTIONS.index(variant.promotion),
        variant.removal == "at-once",
        _MAJORITIES.index(variant.majority),
        variant.by_king,
        variant.most_kings,
        variant.king_first,
        routes == "apart",
        GOALS.index(variant.goal),
        variant.king_moves,
        max_moves(board) - FRAME * (board.men + 1),
        max((ending.most for ending in endings), default=0),
        len(endings),
        *(word for ending in endings for word in ending.words()),
    ]
    block = np.array(words, np.uint64)
    block.flags.writeable = False
    return block


def _sources(board: Board, direction: int) -> int:
    axis, down = divmod(direction, 2)
    if axis >= len(board.axes):
        return 0
    rows, columns = board.axes[axis]
    if down:
        rows, columns = -rows, -columns
    stays = [i for i, (row, column) in enumerate(board.places) if (row + rows, column + columns) in board.square_at]
    return board.mask(stays)


def _last_row(board: Board, colour: int) -> int:
    return board.mask([i for i, (row, _) in enumerate(board.places) if row == board.last_row(colour)])
