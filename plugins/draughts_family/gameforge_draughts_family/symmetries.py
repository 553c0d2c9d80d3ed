"""Symmetries: the board is turned by 180 degrees and the colours are exchanged; the orthogonal board is also mirrored.

Turning reverses the bits of the board, and with them the order of the opponent's pieces, by which moves name what they
capture. The side to move keeps its pieces and has the other colour.
"""

from collections.abc import Callable

import attrs

from gameforge.interfaces.rules import State
from gameforge_draughts_family.board import BLACK, BLACK_TO_MOVE, WHITE, board_of
from gameforge_draughts_family.captures import ROUTE_SHIFT, SQUARE_MASK, TAKEN_SHIFT, TO_SHIFT
from gameforge_draughts_family.counters import KING_SHIFT
from gameforge_draughts_family.variant import Variant

_SQUARE, _TO, _TAKEN = int(SQUARE_MASK), int(TO_SHIFT), int(TAKEN_SHIFT)
_KING, _HIGH = int(KING_SHIFT), ~((1 << int(ROUTE_SHIFT) - 1) - 1)
_TURNED, _MIRRORED = 1, 2
"""Bits of the number of a symmetry."""


@attrs.frozen
class FamilySymmetries:
    """The capability `symmetries` of the rules."""

    variant: Variant

    @property
    def count(self) -> int:
        """Number of symmetries, the identity included."""
        return 4 if self.variant.layout == "8x8-orthogonal" else 2

    def state_image(self, state: State, i: int) -> State:
        """Return the image of a state."""
        image = self._image(i)
        own, opp, kings, rest = state
        counters = [rest >> _KING + 8 * colour & 255 for colour in (WHITE, BLACK)]
        counters = [image(counter >> 2) << 2 | counter & 3 if counter else 0 for counter in counters]
        rest &= (1 << _KING) - 1
        if i & _TURNED:
            rest ^= BLACK_TO_MOVE
            counters.reverse()
        rest |= counters[WHITE] << _KING | counters[BLACK] << _KING + 8
        return _moved(own, image), _moved(opp, image), _moved(kings, image), rest

    def move_image(self, state: State, move: int, i: int) -> int:
        """Return the image of a move."""
        image = self._image(i)
        start, to = image(move & _SQUARE), image(move >> _TO & _SQUARE)
        order = sorted(image(bit) for bit in _bits(state[1]))
        places = {image(bit): n for n, bit in enumerate(_bits(state[1]))}
        among = sum((move >> _TAKEN + places[bit] & 1) << n for n, bit in enumerate(order))
        return start | to << _TO | among << _TAKEN | move & _HIGH

    def _image(self, i: int) -> Callable[[int], int]:
        last = max(board_of(self.variant).bits)

        def image(bit: int) -> int:
            bit = bit ^ 7 if i & _MIRRORED else bit
            return last - bit if i & _TURNED else bit

        return image


def _bits(word: int) -> list[int]:
    return [bit for bit in range(word.bit_length()) if word >> bit & 1]


def _moved(word: int, image: Callable[[int], int]) -> int:
    return sum(1 << image(bit) for bit in _bits(word))
