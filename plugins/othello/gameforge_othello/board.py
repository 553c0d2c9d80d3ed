"""The board as bits: square a1 is bit 0, b1 bit 1, a2 bit 8, h8 bit 63; row 1 is the upper one.

A state is three words: discs of the side to move, discs of the other side, and 1 if White is to
move. Black moves first.
"""

import numpy as np

from gameforge.interfaces.rules import State

SQUARES = 64
PASS = 64
"""The move of a side that can only pass; every other move is the number of its square."""
PASS_TEXT = "pass"
PASSES = (PASS_TEXT, "pa", "ps", "--")
"""How a pass is written in transcripts; read in small and in capital letters."""
NAMES = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")
"""NAMES[bit]: the square in text."""
STATE_WORDS = 3

BLACK, WHITE = 0, 1
SIDES = ("Black", "White")
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)
"""Columns b to g."""


def mask(*names: str) -> int:
    """Word with the bits of these squares."""
    return sum(1 << NAMES.index(name) for name in names)


CENTRE = mask("d4", "e4", "d5", "e5")
START: State = mask("e4", "d5"), mask("d4", "e5"), BLACK


def to_move(state: State) -> int:
    """BLACK or WHITE."""
    return state[2]


def discs(state: State) -> tuple[int, int]:
    """(Black's discs, White's discs) as words."""
    own, opp, side = state
    return (opp, own) if side else (own, opp)


def state_of(black: int, white: int, side: int) -> State:
    """The state with these discs and `side` to move."""
    return (white, black, WHITE) if side else (black, white, BLACK)


def final_counts(state: State) -> tuple[int, int]:
    """(Black's, White's) discs at the end of a game, empty squares given to the winner; half each if nobody wins."""
    black, white = (word.bit_count() for word in discs(state))
    free = SQUARES - black - white
    if black == white:
        return black + free // 2, white + free // 2
    return (black + free, white) if black > white else (black, white + free)


def square_text(move: int) -> str:
    """The square of a move, or `pass`."""
    return PASS_TEXT if move == PASS else NAMES[move]


def winner_by(black: int, white: int, komi: int) -> int | None:
    """Who wins with these discs: BLACK, WHITE, or None for nobody."""
    lead = black - white - komi
    return None if lead == 0 else BLACK if lead > 0 else WHITE
