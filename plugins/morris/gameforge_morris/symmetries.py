"""The 16 symmetries of the board: turns, reflections, and swapping the outer and the inner ring.

The bits of i, the number of a symmetry: 1 and 2 are the number of quarter turns, 4, which is applied first, mirrors the
board in the diagonal from a7 to g1, and 8 swaps the rings. White and Black keep their men.
"""

from gameforge.interfaces.rules import State
from gameforge_morris.board import POINTS
from gameforge_morris.notation import move_of, parts

count = 16
"""Number of symmetries, the identity included."""


def _image(point: int, i: int) -> int:
    ring, place = divmod(point, 8)
    if i & 4:
        place = -place % 8
    return 8 * (2 - ring if i & 8 else ring) + (place + 2 * (i & 3)) % 8


IMAGES = tuple((*(_image(point, i) for point in range(POINTS)), POINTS) for i in range(count))
"""IMAGES[i][point]: image of a point under symmetry i; POINTS, which stands for no point, is unchanged."""


def move_image(state: State, move: int, i: int) -> int:
    """Return the image of a move under symmetry i."""
    start, to, removed = (IMAGES[i][point] for point in parts(move))
    return move_of(start, to, removed)


def state_image(state: State, i: int) -> State:
    """Return the image of a state under symmetry i."""
    own, opp, rest = state
    return word_image(own, i), word_image(opp, i), rest


def word_image(word: int, i: int) -> int:
    """Return the image of the men of a word under symmetry i."""
    return sum(1 << IMAGES[i][point] for point in range(POINTS) if word >> point & 1)
