"""The indices of moves: the square of the disc, or PASS after the last square."""

from gameforge.interfaces import MoveIndices
from gameforge.kernel import Word, Words
from gameforge_othello.board import SQUARES


def index(data: Words, s: Words, m: Word) -> Word:
    return m


MOVES = MoveIndices(size=SQUARES + 1, index=index)
