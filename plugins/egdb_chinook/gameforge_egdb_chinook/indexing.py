"""Boards of database squares, and the index of a position among all positions: kernel functions.

Database square s = 4 * row + column, where row 0 is Black's back row; PDN square n (1..32) is square
s = 4 * ((n - 1) // 4) + 3 - (n - 1) % 4. Only positions with Black to move are numbered. A position with White to move
is reversed: square s becomes 31 - s, and colours and side to move are swapped. A pair of boards shares one word: the
mover's board is the low half, the other side's board the high half.

Black's men move up. Even rows begin at the left edge of the board, so a step up to the right adds 4 in even rows and 5
in odd rows, and a step up to the left adds 3 and 4.

The index of a position in its slice is that of Chinook's databases. The arrangement of the men is its most significant
part, followed by that of the black kings on the squares that remain, and that of the white kings on the squares that
then remain. The index of a group of pieces is its colexicographic rank (gameforge_retrograde.indexer).
"""

import numpy as np
from gameforge_retrograde.indexer import binomial, rank_of, set_of

from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, bits, ctz, inline, popcount
from gameforge_egdb_chinook.slices import BINOMIALS, MATERIALS, MEN, MEN_SQUARES, RANKS, SLICE_WORDS, SLICES

_5, _8, _16, _31, _32 = (np.uint64(n) for n in (5, 8, 16, 31, 32))

_EVEN_BITS = np.uint64(0x5555555555555555)
_EVEN_PAIRS = np.uint64(0x3333333333333333)
_EVEN_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_EVEN_BYTES = np.uint64(0x00FF00FF00FF00FF)
_EVEN_WORDS = np.uint64(0x0000FFFF0000FFFF)
_BYTES = tuple(np.uint64(0xFF << (8 * i)) for i in range(4))
LOW_HALF = np.uint64(0xFFFFFFFF)


@inline
def _close_gaps(word: Word) -> Word:
    """Remove the three gaps (bits 8, 17 and 26) of a padded word, which leaves 32 squares."""
    return (word & _BYTES[0]) | ((word >> U1) & _BYTES[1]) | ((word >> U2) & _BYTES[2]) | ((word >> U3) & _BYTES[3])


@inline
def _open_gaps(board: Word) -> Word:
    """Insert the three gaps of a padded word."""
    return (board & _BYTES[0]) | ((board & _BYTES[1]) << U1) | ((board & _BYTES[2]) << U2) | ((board & _BYTES[3]) << U3)


@inline
def _mirror_rows(pair: Word) -> Word:
    """Reverse the four squares of each row of both boards."""
    pair = ((pair >> U1) & _EVEN_BITS) | ((pair & _EVEN_BITS) << U1)
    return ((pair >> U2) & _EVEN_PAIRS) | ((pair & _EVEN_PAIRS) << U2)


@inline
def _swap_rows(pair: Word) -> Word:
    """Reverse the order of the eight rows of both boards."""
    pair = ((pair >> U4) & _EVEN_NIBBLES) | ((pair & _EVEN_NIBBLES) << U4)
    pair = ((pair >> _8) & _EVEN_BYTES) | ((pair & _EVEN_BYTES) << _8)
    return ((pair >> _16) & _EVEN_WORDS) | ((pair & _EVEN_WORDS) << _16)


@inline
def database_boards(own: Word, opp: Word, white: Word) -> Word:
    """Pair of boards of two padded words, reversed if White is to move (`white` is not 0)."""
    pair = _close_gaps(own) | (_close_gaps(opp) << _32)
    return _swap_rows(pair) if white else _mirror_rows(pair)


@inline
def padded_words(own: Word, opp: Word) -> tuple[Word, Word]:
    """The padded words (own, opp) of two boards of database squares, Black to move."""
    pair = _mirror_rows(own | (opp << _32))
    return _open_gaps(pair & LOW_HALF), _open_gaps(pair >> _32)


BOARD = np.uint64(0xFFFFFFFF)
_EVEN, _ODD = np.uint64(0x0F0F0F0F), np.uint64(0xF0F0F0F0)
_EVEN_INNER = np.uint64(0x0E0E0E0E)
"""Even rows without the squares at the left edge."""
_ODD_INNER = np.uint64(0x70707070)
"""Odd rows without the squares at the right edge."""


@inline
def up_right(board: Word) -> Word:
    """The squares one step up and to the right."""
    return (((board & _EVEN) << U4) | ((board & _ODD_INNER) << _5)) & BOARD


@inline
def up_left(board: Word) -> Word:
    """The squares one step up and to the left."""
    return (((board & _EVEN_INNER) << U3) | ((board & _ODD) << U4)) & BOARD


@inline
def down_right(board: Word) -> Word:
    """The squares one step down and to the right."""
    return ((board & _EVEN) >> U4) | ((board & _ODD_INNER) >> U3)


@inline
def down_left(board: Word) -> Word:
    """The squares one step down and to the left."""
    return ((board & _EVEN_INNER) >> _5) | ((board & _ODD) >> U4)


@inline
def neighbours(board: Word) -> Word:
    """The squares one step away in any direction."""
    return up_right(board) | up_left(board) | down_right(board) | down_left(board)


@inline
def climbing_jumpers(pieces: Word, others: Word, empty: Word) -> Word:
    """Pieces that can jump upwards over one of the others."""
    return pieces & (down_left(others & down_left(empty)) | down_right(others & down_right(empty)))


@inline
def sinking_jumpers(pieces: Word, others: Word, empty: Word) -> Word:
    """Pieces that can jump downwards over one of the others."""
    return pieces & (up_left(others & up_left(empty)) | up_right(others & up_right(empty)))


@inline
def turned(board: Word) -> Word:
    """The board rotated by 180 degrees: square s -> 31 - s."""
    return bits.reversed_bits(board) >> _32


@inline
def spread(board: Word, occupied: Word) -> Word:
    """The inverse of numbering free squares: bit p of `board` moves to the p-th square that is not occupied, from 0."""
    while occupied:
        below = (occupied & (U0 - occupied)) - U1
        board = (board & below) | ((board & ~below) << U1)
        occupied &= occupied - U1
    return board


@inline
def arrangement(choose: Words, board: Word, n: Word, occupied: Word) -> Word:
    """Colex index of n pieces on the squares that are not occupied; choose[32 * k + p] is C(p, k)."""
    index = U0
    k = U0
    for _ in range(n):
        square = ctz(board)
        board &= board - U1
        k += U1
        index += choose[(k << _5) + square - popcount(occupied & ((U1 << square) - U1))]
    return index


_MEN_SQUARES, _RANKS = np.uint64(MEN_SQUARES), np.uint64(RANKS)
_BINOMIALS, _MATERIALS, _MEN = np.uint64(BINOMIALS), np.uint64(MATERIALS), np.uint64(MEN)
_SLICES, _SLICE_WORDS = np.uint64(SLICES), np.uint64(SLICE_WORDS)


@inline
def _choose(t: Words, n: Word, k: Word) -> Word:
    return binomial(t, _BINOMIALS, n, k)


@inline
def place_and_index(
    t: Words, black_men: Word, white_men: Word, black_kings: Word, white_kings: Word
) -> tuple[Word, Word]:
    """(place of the slice, index in the slice) of a covered position; see `slices.table_block` for places.

    Both sides must have a piece, and no man may be on its crowning row.
    """
    bm, wm, bk, wk = popcount(black_men), popcount(white_men), popcount(black_kings), popcount(white_kings)
    # 1. The black men: their colex rank, and the rank of the leading man.
    black_index = U0
    black_rank = U0
    rest = black_men
    k = U0
    while rest:
        square = ctz(rest)
        rest &= rest - U1
        k += U1
        black_index += _choose(t, square, k)
        black_rank = square >> U2
    # 2. The white men, on the reversed board: their lowest square counts as the highest. The sets whose leading man is
    # on an earlier rank belong to other slices.
    men = U0
    white_rank = U0
    if white_men:
        white_rank = (_31 - ctz(white_men)) >> U2
        rest = white_men
        k = wm
        while rest:
            square = ctz(rest)
            rest &= rest - U1
            men += _choose(t, _31 - square - popcount(black_men >> (square + U1)), k)
            k -= U1
        below = white_rank << U2
        men -= _choose(t, below - popcount(black_men >> (_32 - below)), wm)
    # 3. The kings, on the squares that the pieces before them leave free.
    occupied = black_men | white_men
    free = _32 - bm - wm
    black = rank_of(t, _BINOMIALS, black_kings, occupied)
    white = rank_of(t, _BINOMIALS, white_kings, occupied | black_kings)
    # 4. Look up the slice, and the number of men's arrangements with an earlier set of black men.
    code = (((bk << U3) + wk) << U3) + bm
    places = t[t[_MATERIALS] + (code << U3) + wm]
    bases = t[t[_MEN] + (bm << U3) + wm]
    men += t[bases + white_rank * _choose(t, _MEN_SQUARES, bm) + black_index]
    index = (men * _choose(t, free, bk) + black) * _choose(t, free - bk, wk) + white
    return t[places + black_rank * _RANKS + white_rank], index


@inline
def position_index(t: Words, black_men: Word, white_men: Word, black_kings: Word, white_kings: Word) -> Word:
    """Index of a covered position among all positions, if the places are the first indices of the slices."""
    place, index = place_and_index(t, black_men, white_men, black_kings, white_kings)
    return place + index


@inline
def position_at(t: Words, number: Word, index: Word) -> tuple[Word, Word, Word, Word]:
    """(black men, white men, black kings, white kings) of the position with this index, which is in slice `number`."""
    row = t[_SLICES] + number * _SLICE_WORDS
    index -= t[row]
    bk, wk, bm, wm = t[row + U1], t[row + U2], t[row + U3], t[row + U4]
    black_rank, white_rank = t[row + np.uint64(5)], t[row + np.uint64(6)]
    free = _32 - bm - wm
    # 1. Split the index into the numbers of the men, of the black kings and of the white kings.
    white_sets = _choose(t, free - bk, wk)
    sets = _choose(t, free, bk)
    white = index % white_sets
    index //= white_sets
    black = index % sets
    men = index // sets
    # 2. Binary search for the last set of black men whose base is not above `men`.
    bases = t[t[_MEN] + (bm << U3) + wm] + white_rank * _choose(t, _MEN_SQUARES, bm)
    low = _choose(t, black_rank << U2, bm) if bm else U0
    high = _choose(t, (black_rank + U1) << U2, bm)
    while high - low > U1:
        middle = (low + high) >> U1
        if t[bases + middle] <= men:
            low = middle
        else:
            high = middle
    # 3. The white men, numbered from the first set whose leading man is on the slice's rank.
    black_men = set_of(t, _BINOMIALS, _31, low, bm, U0)
    white_men = U0
    if wm:
        below = white_rank << U2
        first = _choose(t, below - popcount(black_men >> (_32 - below)), wm)
        men = men - t[bases + low] + first
        white_men = turned(set_of(t, _BINOMIALS, _31, men, wm, turned(black_men)))
    # 4. The kings, on the squares that remain.
    occupied = black_men | white_men
    black_kings = set_of(t, _BINOMIALS, _31, black, bk, occupied)
    white_kings = set_of(t, _BINOMIALS, _31, white, wk, occupied | black_kings)
    return black_men, white_men, black_kings, white_kings


@inline
def state_index(t: Words, own: Word, opp: Word, kings: Word, white: Word) -> Word:
    """Index of a covered position, given as the words of its state; `white` is not 0 if White is to move."""
    men = database_boards(own & ~kings, opp & ~kings, white)
    crowned = database_boards(own & kings, opp & kings, white)
    return position_index(t, men & LOW_HALF, men >> _32, crowned & LOW_HALF, crowned >> _32)


@inline
def write_state(s: Words, black_men: Word, white_men: Word, black_kings: Word, white_kings: Word) -> None:
    """Write the words of the state with these boards, Black to move."""
    s[0], s[1] = padded_words(black_men | black_kings, white_men | white_kings)
    own_kings, opp_kings = padded_words(black_kings, white_kings)
    s[2] = own_kings | opp_kings


@inline
def set_up(t: Words, number: Word, index: Word, s: Words) -> None:
    """Write the words of the state with this index, Black to move, which is in slice `number`."""
    black_men, white_men, black_kings, white_kings = position_at(t, number, index)
    write_state(s, black_men, white_men, black_kings, white_kings)
