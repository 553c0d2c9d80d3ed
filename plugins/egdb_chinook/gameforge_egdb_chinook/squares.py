"""Boards of 32 database squares: conversion from draughts states and back, steps, jumps, and indices of a few pieces.

Database square s = 4 * row + column, where row 0 is Black's back row; PDN square n (1..32) is square
s = 4 * ((n - 1) // 4) + 3 - (n - 1) % 4. Only positions with Black to move are numbered. A position with White to move
is reversed: square s becomes 31 - s, and colours and side to move are swapped. A pair of boards shares one word: the
mover's board is the low half, the other side's board the high half.

Black's men move up. Even rows begin at the left edge of the board, so a step up to the right adds 4 in even rows and 5
in odd rows, and a step up to the left adds 3 and 4.
"""

import numpy as np

from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, bits, ctz, inline, popcount

_5, _8, _16, _32 = np.uint64(5), np.uint64(8), np.uint64(16), np.uint64(32)


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
