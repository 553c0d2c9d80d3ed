"""The 64 squares as cells, the patterns in use since Logistello [Buro1997], and the symmetries of the board.

The bits of i, the number of one of the eight symmetries: 1 reverses the rows, 2 reverses the columns, and 4, which is
applied first, swaps rows and columns. Black and White keep their discs. Four of them leave the initial position
unchanged.
"""

import numpy as np

from gameforge.grid import GridSymmetries, Image
from gameforge.interfaces import Cells, PatternSet, State
from gameforge.kernel import U0, U1, Word, Words, ctz, inline, popcount
from gameforge_othello.movegen import NAMES, PASS, SQUARES, START, flips, placements, rays


def _image(square: int, i: int) -> int:
    row, column = divmod(square, 8)
    if i & 4:
        row, column = column, row
    if i & 2:
        column = 7 - column
    if i & 1:
        row = 7 - row
    return 8 * row + column


IMAGES = tuple(tuple(_image(square, i) for square in range(SQUARES)) for i in range(8))


def _state_image(state: State, image: Image) -> State:
    own, opp, side = state
    return image.moved(own), image.moved(opp), side


def _move_image(move: int, image: Image) -> int:
    return move if move == PASS else image[move]


SYMMETRIES = GridSymmetries(images=IMAGES[1:], state=_state_image, move=_move_image)
OF_THE_START = tuple(i for i in range(SYMMETRIES.count) if SYMMETRIES.state_image(START, i) == START)
"""The symmetries of the initial position, under which all first moves are equivalent."""


_FEW = np.uint64(8)
"""A side with fewer discs may soon lose all of them, which ends the game."""
_MOST_FLIPS = np.uint64(18)


def cells(data: Words, s: Words, planes: Words) -> None:
    """Write discs, then the numbers, of either side in turn, with parity between.

    Placements; whether the number of empty squares is odd; how many discs each side has fewer than _FEW; and whether
    the side to move can take all discs of the other one, which a sum over patterns cannot see.
    """
    own, other = s[0], s[1]
    places = placements(own, other)
    planes[0] = own
    planes[1] = other
    planes[2] = popcount(places)
    planes[3] = popcount(placements(other, own))
    planes[4] = popcount(own | other) & U1
    planes[5] = _missing(own)
    planes[6] = _missing(other)
    planes[7] = _takes_all(data, own, other, places)


@inline
def _missing(discs: Word) -> Word:
    return _FEW - min(np.uint64(popcount(discs)), _FEW)


@inline
def _takes_all(data: Words, own: Word, other: Word, places: Word) -> Word:
    """1 if one of the placements flips all discs of `other`."""
    if np.uint64(popcount(other)) > _MOST_FLIPS:
        return U0
    while places != U0:
        if flips(data, own, other, ctz(places)) == other:
            return U1
        places &= places - U1
    return U0


_CLASSIC = """
a1 b1 c1 d1 e1 f1 g1 h1 b2 g2
a1 b1 c1 a2 b2 c2 a3 b3 c3
a1 b1 c1 d1 e1 a2 b2 c2 d2 e2
a2 b2 c2 d2 e2 f2 g2 h2
a3 b3 c3 d3 e3 f3 g3 h3
a4 b4 c4 d4 e4 f4 g4 h4
a1 b2 c3 d4 e5 f6 g7 h8
a2 b3 c4 d5 e6 f7 g8
a3 b4 c5 d6 e7 f8
a4 b5 c6 d7 e8
a5 b6 c7 d8
"""
"""An edge with both X squares, corners of 3x3 and 2x5, rows 2 to 4, diagonals of 8 to 4; one of each kind."""

CELLS = Cells(
    cells=cells,
    places=tuple(divmod(square, 8) for square in range(SQUARES)),
    names=NAMES,
    images=IMAGES,
    numbers=("mobility", "opponent's mobility", "parity", "few discs", "opponent's few discs", "takes all"),
    data=np.array(rays(), np.uint64),
    sets={
        "classic": PatternSet(
            patterns=tuple(tuple(map(NAMES.index, line.split())) for line in _CLASSIC.split("\n") if line),
            phases=(12, 28, 44, 60),
        ),
    },
)
