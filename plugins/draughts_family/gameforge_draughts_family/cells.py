"""The squares as cells, numbered from the side to move, patterns over them, and the symmetries of the board.

Cells are numbered by the bits of the board without its gaps, from the top for White, who then sees the board turned:
the men of the side to move move up from the first cells.

Symmetries turn the board by 180 degrees and exchange the colours; the orthogonal board is also mirrored. Turning
reverses the bits of the board, and with them the order of the opponent's pieces, by which moves name what they capture.
The side to move keeps its pieces and has the other colour.
"""

import functools
from collections.abc import Callable

import attrs
import numpy as np

from gameforge.interfaces import Cells, PatternSet, State
from gameforge.kernel import U0, U1, Word, Words, bits, inline
from gameforge_draughts_family.board import (
    BLACK,
    BLACK_TO_MOVE,
    WHITE,
    Variant,
    board_of,
    sets_of,
    squares_of,
    state_from,
)
from gameforge_draughts_family.captures import ends
from gameforge_draughts_family.movegen import KING_SHIFT

_64 = np.uint64(64)
_KING = int(KING_SHIFT)
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
        rest = state[-1]
        counters = [rest >> _KING + 8 * colour & 255 for colour in (WHITE, BLACK)]
        counters = [image(counter >> 2) << 2 | counter & 3 if counter else 0 for counter in counters]
        rest &= (1 << _KING) - 1
        if i & _TURNED:
            rest ^= BLACK_TO_MOVE
            counters.reverse()
        rest |= counters[WHITE] << _KING | counters[BLACK] << _KING + 8
        return state_from(board_of(self.variant), (_moved(found, image) for found in sets_of(state)), rest)

    def move_image(self, state: State, move: int, i: int) -> int:
        """Return the image of a move."""
        image, board = self._image(i), board_of(self.variant)
        parts = board.move
        start, to = (image(board.bits[square]) for square in ends(board, move))
        places = {image(bit): n for n, bit in enumerate(_bits(sets_of(state)[1]))}
        among = sum((move >> parts.captured + places[bit] & 1) << n for n, bit in enumerate(sorted(places)))
        return start | to << parts.square | among << parts.captured | move >> parts.crowned << parts.crowned

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


_SIZE, _ROWS, _WIDTH = (np.uint64(n) for n in range(3))
"""Settings: number of cells, of groups of bits without a gap, and of bits in such a group; on the orthogonal board, all
64 bits are one group."""


@inline
def _dense(data: Words, word: Word) -> Word:
    """Remove the gaps of the board's layout."""
    groups, width = data[_ROWS], data[_WIDTH]
    if groups == U1:
        return word
    group = (U1 << width) - U1
    found, row = U0, U0
    while row < groups:
        found |= ((word >> (row * (width + U1))) & group) << (row * width)
        row += U1
    return found


def cells(data: Words, s: Words, planes: Words) -> None:
    """Write men and kings of both sides."""
    own, other, kings = _dense(data, s[0]), _dense(data, s[1]), _dense(data, s[2])
    # White moves towards the first square, so its board is turned; the gap keeps the reversed bits at the low end.
    if s[3] & U1 == U0:
        gap = _64 - data[_SIZE]
        own, other, kings = (
            bits.reversed_bits(own) >> gap,
            bits.reversed_bits(other) >> gap,
            bits.reversed_bits(kings) >> gap,
        )
    planes[0] = own & ~kings
    planes[1] = other & ~kings
    planes[2] = own & kings
    planes[3] = other & kings


@functools.cache
def cells_of(variant: Variant) -> Cells:
    """Return the cells of a variant."""
    squares = squares_of(variant)
    board = squares.board
    order = sorted(range(len(board.bits)), key=lambda square: board.bits[square])
    width = 64 if len(order) == 64 else board.size
    return Cells(
        cells=cells,
        places=tuple(board.places[square] for square in order),
        names=tuple(squares.names[square] for square in order),
        codes=("own man", "other man", "own king", "other king"),
        images=(tuple(i ^ 7 for i in range(64)),) if width == 64 else (),
        sets={"blocks": _blocks(len(order), board.size)},
        data=np.array([len(order), len(order) // width, width], np.uint64),
    )


def _blocks(count: int, size: int) -> PatternSet:
    """Return overlapping blocks of at most eight squares: pairs of rows in halves, and four rows by two squares."""
    per_row = count // size
    bands = [
        tuple(row * per_row + place for row in (top, top + 1) for place in range(left, left + 4))
        for top in range(size - 1)
        for left in sorted({*range(0, per_row - 3, 2), per_row - 4})
    ]
    blocks = [
        tuple(row * per_row + place for row in range(top, top + 4) for place in (left, left + 1))
        for top in range(size - 3)
        for left in range(per_row - 1)
    ]
    return PatternSet(patterns=(*bands, *blocks), codes=("own man", "other man"), phases=(6, 12 * size // 5))
