"""The board as bits: three rings of eight points, from the outer one (bits 0 to 7) to the inner one (16 to 23).

In each ring the points are numbered clockwise from the upper left corner, so corners have even bits and middles of
sides odd ones. Neighbours in a ring are one bit apart (the byte wraps around), neighbours on a spoke eight bits.

A state is three words: men of the side to move, men of the other side, and 2 * placements left, plus 1 if Black is to
move, plus 64 * lead. White moves first. Where the sides take turns to place men, the side to move has (n + 1) // 2 of
the n placements left, and the lead is 0. In Lasker Morris it has (n + 1) // 2 + lead of them, and the lead, from -8 to
7, is stored in four bits as two's complement.
"""

from gameforge.interfaces import State

POINTS = 24
_OUTER, _MIDDLE, _INNER = "a7d7g7g4g1d1a1a4", "b6d6f6f4f2d2b2b4", "c5d5e5e4e3d3c3c4"
NAMES = tuple(ring[i : i + 2] for ring in (_OUTER, _MIDDLE, _INNER) for i in range(0, 16, 2))
"""NAMES[bit]: name of the point."""
STATE_WORDS = 3
WHITE, BLACK = 0, 1
SIDES = ("White", "Black")
LEAST_MEN = 3
"""A side with fewer men, those in hand counted, has lost; a side with exactly as many, and none in hand, may fly."""


def mask(*names: str) -> int:
    """Return the word with the bits of these points."""
    return sum(1 << NAMES.index(name) for name in names)


def to_move(state: State) -> int:
    """Return the side to move, WHITE or BLACK."""
    return state[2] & 1


def men(state: State) -> tuple[int, int]:
    """Return (White's men, Black's men) on the board, as words."""
    own, opp, rest = state
    return (opp, own) if rest & 1 else (own, opp)


def hands(state: State) -> tuple[int, int]:
    """Return (White's, Black's) numbers of men that are still to be placed."""
    left, lead = state[2] >> 1 & 31, state[2] >> 6
    own = (left + 1) // 2 + (lead if lead < 8 else lead - 16)
    return (left - own, own) if to_move(state) else (own, left - own)


def state_of(white: int, black: int, left: int, side: int, lead: int = 0) -> State:
    """Return the state with these men, `left` placements left, and `side` to move; lead: see above."""
    rest = 2 * left + side + 64 * (lead & 15)
    return (black, white, rest) if side else (white, black, rest)
