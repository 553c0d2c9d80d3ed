"""Boards in the files of NeuroDraughts: a digit for each of the squares 1 to 32.

0 empty, 1 black man, 2 red man, 3 black king, 4 red king ([Lynch1997], section 9.1; red is White here).
"""

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_draughts.board import (
    BIT_OF,
    BLACK,
    BOTTOM_ROW,
    MEN,
    SIDES,
    SQUARES,
    TOP_ROW,
    WHITE,
    pieces,
    to_move,
)

DIGITS = frozenset("01234")
_SWAP = str.maketrans("1234", "2143")


def state_of_codes(codes: str, side: int) -> State:
    """Return the state of 32 digits with `side` to move; GameforgeError if it is not a possible position."""
    bits = [0] * 5
    for digit, bit in zip(codes, BIT_OF, strict=True):
        bits[int(digit)] |= 1 << bit
    _, black_men, white_men, black_kings, white_kings = bits
    colours = black_men | black_kings, white_men | white_kings
    for colour, men, last_row in ((BLACK, black_men, TOP_ROW), (WHITE, white_men, BOTTOM_ROW)):
        count = colours[colour].bit_count()
        if count > MEN:
            raise GameforgeError(f"{SIDES[colour]} has {count} pieces; a side has at most {MEN}")
        if men & int(last_row):
            raise GameforgeError(f"{SIDES[colour]} has a man on the far row, where it would be a king")
    return colours[side], colours[1 - side], black_kings | white_kings | side << 63


def codes_of_state(state: State) -> str:
    """Return the 32 digits of a state; they do not include the side to move."""
    digits = ["0"] * SQUARES
    for square, (colour, is_king) in pieces(state).items():
        digits[square - 1] = str(1 + colour + 2 * is_king)
    return "".join(digits)


def swapped(codes: str) -> str:
    """Turn a board by 180 degrees and exchange the colours, which gives the view of the other side."""
    return codes[::-1].translate(_SWAP)


def codes_for(state: State) -> str:
    """Return the digits as seen by the side that has just moved, which is Black in this view."""
    codes = codes_of_state(state)
    return codes if to_move(state) == WHITE else swapped(codes)
