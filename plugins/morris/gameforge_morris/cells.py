"""The 24 points as cells, and patterns of up to nine points along the lines of the board."""

from typing import Any

import numpy as np

from gameforge.interfaces.cells import Cells, PatternSet
from gameforge.kernel.bits import popcount
from gameforge_morris.board import NAMES, POINTS
from gameforge_morris.lines import BOARD, slides
from gameforge_morris.symmetries import IMAGES

_0, _1 = np.uint64(0), np.uint64(1)
_PLACING = np.uint64(POINTS)


def cells(data: Any, s: Any, planes: Any) -> None:
    """Write men on the board, then the numbers: the stage, men in both hands, and possible steps of either side.

    The stage decreases during a game: it is POINTS + placements left, then the number of men on the board.
    """
    own, other, left = s[0], s[1], s[2] >> _1
    free = BOARD & ~(own | other)
    planes[0] = own
    planes[1] = other
    planes[2] = popcount(own | other) if left == _0 else _PLACING + left
    planes[3] = (left + _1) >> _1
    planes[4] = left >> _1
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
