"""The board as bits: square a1 is bit 0, b1 bit 1, a2 bit 8, h8 bit 63; row 1 is the top row.

A state is three words: discs of the side to move, discs of the other side, and 1 if White is to
move. Black moves first.
"""

import numpy as np

from gameforge.interfaces import State

SQUARES = 64
PASS = 64
"""The move of a side that can only pass; every other move is the number of its square."""
NAMES = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")
"""NAMES[bit]: name of the square."""
STATE_WORDS = 3

BLACK, WHITE = 0, 1
SIDES = ("Black", "White")
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)
"""Columns b to g."""


def mask(*names: str) -> int:
    """Return the word with the bits of these squares."""
    return sum(1 << NAMES.index(name) for name in names)


CENTRE = mask("d4", "e4", "d5", "e5")
START: State = mask("e4", "d5"), mask("d4", "e5"), BLACK


def to_move(state: State) -> int:
    """Return the side to move, BLACK or WHITE."""
    return state[2]


def discs(state: State) -> tuple[int, int]:
    """Return (Black's discs, White's discs) as words."""
    own, opp, side = state
    return (opp, own) if side else (own, opp)


def state_of(black: int, white: int, side: int) -> State:
    """Return the state with these discs and `side` to move."""
    return (white, black, WHITE) if side else (black, white, BLACK)


def final_counts(state: State) -> tuple[int, int]:
    """Return (Black's, White's) discs at the end of a game; empty squares go to the winner, or half to each side."""
    black, white = (word.bit_count() for word in discs(state))
    free = SQUARES - black - white
    if black == white:
        return black + free // 2, white + free // 2
    return (black + free, white) if black > white else (black, white + free)


def winner_by(black: int, white: int, komi: int) -> int | None:
    """Return the winner with these discs, BLACK or WHITE; None for a draw."""
    lead = black - white - komi
    return None if lead == 0 else BLACK if lead > 0 else WHITE
