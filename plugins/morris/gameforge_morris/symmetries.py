"""The 16 symmetries of the board: it can be turned and mirrored, and the outer and the inner ring swapped.

Symmetry i is made of four bits: 1 and 2 say how many quarter turns follow, 4 mirrors along the diagonal from a7 to
g1 (first), 8 swaps the rings. White and Black keep their men.
"""

from gameforge.interfaces.rules import State
from gameforge_morris.board import POINTS
from gameforge_morris.notation import move_of, parts

count = 16
"""Symmetries, the identity included."""


def _image(point: int, i: int) -> int:
    ring, place = divmod(point, 8)
    if i & 4:
        place = -place % 8
    return 8 * (2 - ring if i & 8 else ring) + (place + 2 * (i & 3)) % 8


IMAGES = tuple((*(_image(point, i) for point in range(POINTS)), POINTS) for i in range(count))
"""IMAGES[i][point] under symmetry i; POINTS, which is no point, stays."""


def move_image(state: State, move: int, i: int) -> int:
    """The move under symmetry i."""
    start, to, removed = (IMAGES[i][point] for point in parts(move))
    return move_of(start, to, removed)


def state_image(state: State, i: int) -> State:
    """The state under symmetry i."""
    own, opp, rest = state
    return word_image(own, i), word_image(opp, i), rest


def word_image(word: int, i: int) -> int:
    """Men under symmetry i."""
    return sum(1 << IMAGES[i][point] for point in range(POINTS) if word >> point & 1)
