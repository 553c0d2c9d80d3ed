"""Kernel functions: the index of a position among all positions, and the position of an index.

Boards are words of database squares (squares.py), Black to move. The index of a position in its slice is that of
Chinook's databases. The arrangement of the men is its most significant part, followed by that of the black kings on the
squares that remain, and that of the white kings on the squares that then remain. The index of a group of pieces is its
colexicographic rank (gameforge_retrograde.indexer).
"""

import numpy as np
from gameforge_retrograde.indexer import binomial, rank_of, set_of

from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, ctz, inline, popcount
from gameforge_egdb_chinook.slices import BINOMIALS, MATERIALS, MEN, MEN_SQUARES, RANKS, SLICE_WORDS, SLICES
from gameforge_egdb_chinook.squares import LOW_HALF, database_boards, padded_words, turned

_31, _32 = np.uint64(31), np.uint64(32)
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
