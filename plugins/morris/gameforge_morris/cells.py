"""The 24 points as cells, patterns of up to nine points along the lines of the board, and its symmetries.

The 16 symmetries are turns, reflections, and swapping the outer and the inner ring. The bits of i, the number of a
symmetry: 1 and 2 are the number of quarter turns, 4, which is applied first, mirrors the board in the diagonal from a7
to g1, and 8 swaps the rings. White and Black keep their men.
"""

import numpy as np

from gameforge.grid import GridSymmetries, Image
from gameforge.interfaces import Cells, PatternSet, State
from gameforge.kernel import U0, Words, popcount
from gameforge_morris.movegen import BOARD, NAMES, POINTS, hand, placements_left, slides
from gameforge_morris.notation import move_of, parts


def _image(point: int, i: int) -> int:
    ring, place = divmod(point, 8)
    if i & 4:
        place = -place % 8
    return 8 * (2 - ring if i & 8 else ring) + (place + 2 * (i & 3)) % 8


IMAGES = tuple((*(_image(point, i) for point in range(POINTS)), POINTS) for i in range(16))
"""IMAGES[i][point]: image of a point under symmetry i; POINTS, which stands for no point, is unchanged."""


def _state_image(state: State, image: Image) -> State:
    own, opp, rest = state
    return image.moved(own), image.moved(opp), rest


def _move_image(move: int, image: Image) -> int:
    start, to, removed = (image[point] for point in parts(move))
    return move_of(start, to, removed)


SYMMETRIES = GridSymmetries(images=IMAGES[1:], state=_state_image, move=_move_image)


_PLACING = np.uint64(POINTS)


def cells(data: Words, s: Words, planes: Words) -> None:
    """Write men on the board, then the numbers: the stage, men in both hands, and possible steps of either side.

    The stage decreases during a game: it is POINTS + placements left, then the number of men on the board.
    """
    own, other, left, in_hand = s[0], s[1], placements_left(s), hand(s)
    free = BOARD & ~(own | other)
    planes[0] = own
    planes[1] = other
    planes[2] = popcount(own | other) if left == U0 else _PLACING + left
    planes[3] = in_hand
    planes[4] = left - in_hand
    planes[5] = slides(own, free)
    planes[6] = slides(other, free)


_LINES = """
a7 d7 g7 g4 g1 d1 a1 a4
b6 d6 f6 f4 f2 d2 b2 b4
a7 d7 g7 b6 d6 f6 c5 d5 e5
a7 b6 c5 d7 d6 d5 a4 b4 c4
"""
"""The outer and the middle ring, the three lines on one side of the board, the three rings around one corner."""

CELLS = Cells(
    cells=cells,
    places=tuple((int(name[1]) - 1, ord(name[0]) - ord("a")) for name in NAMES),
    names=NAMES,
    images=tuple(image[:POINTS] for image in IMAGES),
    numbers=("stage", "own hand", "opponent's hand", "own steps", "opponent's steps"),
    sets={
        "lines": PatternSet(
            patterns=tuple(tuple(map(NAMES.index, line.split())) for line in _LINES.split("\n") if line),
            counter="stage",
            phases=(6, 12, 18, 25, 42),
        ),
    },
)
