"""Numbers of positions: the tables that kernels read, and both directions.

Squares are numbered in reading order, as the side to move sees them. Within its slice, a position has the number

    (men * C(free, k) + own kings) * C(free - k, l) + opponent's kings

where `men` numbers the arrangement of all men, `free` is the number of squares without men, k and l are the numbers of
own and opponent's kings, and each set of pieces counts by its colexicographic rank on the squares that remain.

The tables (`tables`, in words) begin with the words named below.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gameforge.kernel.bits import ctz, popcount
from gameforge.kernel.compile.jit import inline
from gameforge.retrograde.colex import binomial, binomials, rank_of, set_of
from gameforge.retrograde.distance_file import POSITIONS, WORDS
from gameforge.retrograde.indexer import Words
from gameforge_draughts_family.block import settings
from gameforge_draughts_family.board import board_of
from gameforge_draughts_family.endgames.slices import Material, men_bases, slices, squares_of_men, starts
from gameforge_draughts_family.variant import Variant

MAGIC = int.from_bytes(b"GFDRAU1\n", "little")
"""First word; the 1 is the version of tables and numbers."""
PIECES, SQUARES, MEN_SQUARES = (np.uint64(n) for n in (1, 4, 5))
"""Maximum number of pieces, squares of the board, and those open to men."""
SQUARE_OF_BIT, BIT_OF_SQUARE = np.uint64(8), np.uint64(72)
CHOICES = np.uint64(136)
"""C(n, k) at CHOICES + 8 * n + k."""
SLICES = np.uint64(656)
"""The first number of each slice, at the code of its material (`code`)."""
BASES = np.uint64(4752)
"""Where the bases of men (`slices.men_bases`) are, at BASES + 8 * own men + opponent's men."""
RULES = np.uint64(4816)
"""The settings of the rules."""
_PAGE = 512
_0, _1, _3, _7 = (np.uint64(n) for n in (0, 1, 3, 7))
_CODE_SHIFTS = tuple(np.uint64(n) for n in (9, 6, 3))


def tables(variant: Variant, pieces: int, places: Sequence[int] | None = None) -> Words:
    """Make the tables; places[n] is the first number of slice n, by default that among all positions."""
    board = board_of(variant)
    squares, men_squares = len(board.places), squares_of_men(board)
    every, firsts = slices(variant, pieces), starts(variant, pieces)
    rules = settings(variant, "once")
    head = np.zeros(int(RULES) + len(rules), np.uint64)
    head[0] = MAGIC
    head[[PIECES, POSITIONS, SQUARES, MEN_SQUARES]] = pieces, firsts[-1], squares, men_squares
    for square, bit in enumerate(board.bits):
        head[int(SQUARE_OF_BIT) + bit], head[int(BIT_OF_SQUARE) + square] = square, bit
    coefficients = binomials(squares)
    head[int(CHOICES) :][: len(coefficients)] = coefficients
    for s, place in zip(every, firsts if places is None else places, strict=False):
        head[int(SLICES) + code(s.material)] = place
    head[int(RULES) :] = rules
    parts, length = [head], len(head)
    for own_men, opp_men in sorted({(s.material[0], s.material[2]) for s in every}):
        head[int(BASES) + 8 * own_men + opp_men] = length
        parts.append(np.array(men_bases(squares, men_squares, own_men, opp_men), np.uint64))
        length += len(parts[-1])
    parts.append(np.zeros(-length % _PAGE, np.uint64))
    found = np.concatenate(parts)
    found[WORDS] = len(found)
    return found


def code(material: Material) -> int:
    """Return the code of a material, as `code_of` computes it for a position."""
    own_men, own_kings, opp_men, opp_kings = material
    return 512 * own_men + 64 * own_kings + 8 * opp_men + opp_kings


@inline
def _choices(t: Any, n: Any, k: Any) -> Any:
    return binomial(t, CHOICES, n, k)


@inline
def _squares(t: Any, word: Any, black: Any) -> Any:
    """Return the squares of these bits as a set, turned if Black is to move."""
    found = _0
    while word:
        square = t[SQUARE_OF_BIT + ctz(word)]
        word &= word - _1
        found |= _1 << (t[SQUARES] - _1 - square if black else square)
    return found


@inline
def _bits(t: Any, squares: Any) -> Any:
    """Return the bits of these squares."""
    found = _0
    while squares:
        found |= _1 << t[BIT_OF_SQUARE + ctz(squares)]
        squares &= squares - _1
    return found


@inline
def number_in_slice(t: Any, own: Any, opp: Any, kings: Any, black: Any) -> Any:
    """Return the number of a position within its slice; black: not 0 if Black is to move."""
    own_men, opp_men = _squares(t, own & ~kings, black), _squares(t, opp & ~kings, black)
    own_kings, opp_kings = _squares(t, own & kings, black), _squares(t, opp & kings, black)
    behind = t[SQUARES] - t[MEN_SQUARES]
    bases = t[BASES + (popcount(own_men) << _3) + popcount(opp_men)]
    number = t[bases + rank_of(t, CHOICES, own_men >> behind, _0)] + rank_of(t, CHOICES, opp_men, own_men)
    men = own_men | opp_men
    free, k = t[SQUARES] - popcount(men), popcount(own_kings)
    number = number * _choices(t, free, k) + rank_of(t, CHOICES, own_kings, men)
    return number * _choices(t, free - k, popcount(opp_kings)) + rank_of(t, CHOICES, opp_kings, men | own_kings)


@inline
def code_of(own: Any, opp: Any, kings: Any) -> Any:
    """Return the material of a position in one word, three bits for each kind of piece."""
    code = popcount(own & ~kings) << _CODE_SHIFTS[0]
    code |= popcount(own & kings) << _CODE_SHIFTS[1]
    return code | (popcount(opp & ~kings) << _CODE_SHIFTS[2]) | popcount(opp & kings)


@inline
def number(t: Any, own: Any, opp: Any, kings: Any, black: Any) -> Any:
    """Return the number of a position of any slice; both sides must have pieces, and no more than the tables cover."""
    return t[SLICES + code_of(own, opp, kings)] + number_in_slice(t, own, opp, kings, black)


@inline
def set_up(t: Any, number: Any, code: Any, s: Any) -> None:
    """Write the state with this number in the slice of this material, with White to move."""
    om, ok = code >> _CODE_SHIFTS[0], (code >> _CODE_SHIFTS[1]) & _7
    pm, pk = (code >> _CODE_SHIFTS[2]) & _7, code & _7
    free = t[SQUARES] - om - pm
    sets = _choices(t, free - ok, pk)
    last = number % sets
    number //= sets
    sets = _choices(t, free, ok)
    own_kings_rank = number % sets
    men = number // sets
    # Binary search for the last set of own men whose base is not above `men`.
    bases = t[BASES + (om << _3) + pm]
    low, high = _0, _choices(t, t[MEN_SQUARES], om)
    while high - low > _1:
        middle = (low + high) >> _1
        if t[bases + middle] <= men:
            low = middle
        else:
            high = middle
    last_square = t[SQUARES] - _1
    own_men = set_of(t, CHOICES, last_square, low, om, _0) << (t[SQUARES] - t[MEN_SQUARES])
    opp_men = set_of(t, CHOICES, last_square, men - t[bases + low], pm, own_men)
    own_kings = set_of(t, CHOICES, last_square, own_kings_rank, ok, own_men | opp_men)
    opp_kings = set_of(t, CHOICES, last_square, last, pk, own_men | opp_men | own_kings)
    s[0] = _bits(t, own_men | own_kings)
    s[1] = _bits(t, opp_men | opp_kings)
    s[2] = _bits(t, own_kings | opp_kings)
    s[3] = _0
