"""The 32 dark squares as cells, numbered from the side to move, patterns over them, and the symmetry of the board.

The symmetry turns the board by 180 degrees and exchanges the colours: square n becomes 33 - n (bit b becomes 34 - b,
and gaps fall on gaps), so that each direction of a route becomes its opposite. The side to move keeps its pieces and
has the other colour.
"""

import attrs
import numpy as np

from gameforge.interfaces import Cells, PatternSet, State
from gameforge.kernel import U1, U2, U3, U4, Word, Words, bits, inline, popcount
from gameforge_draughts import movegen
from gameforge_draughts.movegen import LAST_BIT, LOWEST_INNER, ROUTE_SHIFT, SQUARES, TO_SHIFT, WHITE_TO_MOVE

_7, _32, _63 = np.uint64(7), np.uint64(32), np.uint64(63)
_WHITE = int(WHITE_TO_MOVE)
_SQUARE, _CAPTURED = int(movegen.BIT_MASK), int(movegen.CAPTURED_MASK)
_TO, _TAKEN, _ROUTE, _INNER = map(int, (TO_SHIFT, movegen.CAPTURED_SHIFT, ROUTE_SHIFT, LOWEST_INNER))


@attrs.frozen
class DraughtsSymmetries:
    """The capability `symmetries` of the rules."""

    count = 2
    """Number of symmetries, the identity included."""

    def state_image(self, state: State, i: int) -> State:
        """Return the image of a state: the state itself (i = 0), or turned with the colours exchanged (i = 1)."""
        if i == 0:
            return state
        own, opp, kings = state
        return _turned(own), _turned(opp), _turned(kings & ~_WHITE) | (~kings & _WHITE)

    def move_image(self, state: State, move: int, i: int) -> int:
        """Return the image of a move: the move itself (i = 0), or turned (i = 1)."""
        if i == 0:
            return move
        start, to = LAST_BIT - (move & _SQUARE), LAST_BIT - (move >> _TO & _SQUARE)
        captured = move >> _TAKEN & _CAPTURED
        opposite = int("10" * captured.bit_count() or "0", 2)  # two bits per jump
        route = (move >> _ROUTE) ^ opposite
        return start | to << _TO | (_turned(captured << _INNER) >> _INNER) << _TAKEN | route << _ROUTE


SYMMETRIES = DraughtsSymmetries()


def _turned(word: int) -> int:
    return int(f"{word:0{LAST_BIT + 1}b}"[::-1], 2)


_ROW_PAIRS = tuple(np.uint64(0xFF << shift) for shift in (0, 8, 16, 24))
_PAIR_1, _PAIR_2, _PAIR_3, _PAIR_4 = _ROW_PAIRS
_ALL = np.uint64(0xFFFFFFFF)
_ODD_ROWS, _UPPER_ROWS, _UPPER_HALF = np.uint64(0xF0F0F0F0), np.uint64(0xFF00FF00), np.uint64(0xFFFF0000)


@inline
def _dense(word: Word) -> Word:
    """Remove the gaps of the board's layout: bit n becomes square n + 1."""
    return (word & _PAIR_1) | ((word >> U1) & _PAIR_2) | ((word >> U2) & _PAIR_3) | ((word >> U3) & _PAIR_4)


@inline
def _steps(men: Word) -> Word:
    """Return the number of rows that these men have moved up from the first row."""
    return popcount(men & _ODD_ROWS) + U2 * popcount(men & _UPPER_ROWS) + U4 * popcount(men & _UPPER_HALF)


def cells(data: Words, s: Words, planes: Words) -> None:
    """Write men and kings of both sides, then one number, the tempo: own steps of men minus the opponent's."""
    own, other, kings = _dense(s[0]), _dense(s[1]), _dense(s[2])
    # White sees the board turned. One reversal turns both sides' pieces, and exchanges the halves of the word.
    if s[2] >> _63:
        both = bits.reversed_bits(own | (other << _32))
        own, other = both >> _32, both & _ALL
        kings = bits.reversed_bits(kings) >> _32
    planes[0] = own & ~kings
    planes[1] = other & ~kings
    planes[2] = own & kings
    planes[3] = other & kings
    planes[4] = _steps(planes[0]) - (_7 * popcount(planes[1]) - _steps(planes[1]))


BANDS = tuple(tuple(range(first, first + 8)) for first in range(0, 28, 4))
"""Two adjacent rows."""
BLOCKS = tuple(
    tuple(4 * row + column for row in range(top, top + 4) for column in (left, left + 1))
    for top in range(5)
    for left in range(3)
)
"""Four rows high, two squares wide in each."""

CELLS = Cells(
    cells=cells,
    places=tuple((n // 4, 2 * (n % 4) + (1 - n // 4 % 2)) for n in range(SQUARES)),
    names=tuple(str(n + 1) for n in range(SQUARES)),
    codes=("own man", "other man", "own king", "other king"),
    numbers=("tempo",),
    sets={
        "blocks": PatternSet(patterns=BANDS + BLOCKS, codes=("own man", "other man"), phases=(6, 22)),
    },
)
