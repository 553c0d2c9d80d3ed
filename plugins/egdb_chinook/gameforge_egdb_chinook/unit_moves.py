"""Moves of the positions of a unit, forwards and backwards: the functions that retrograde analysis calls.

All positions have Black to move. Predecessors and successors have White to move, so they are reversed.
"""

from typing import Any

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.board import BOARD as PADDED_BOARD

from gameforge.kernel.abi import LOSS
from gameforge.kernel.bits import at, popcount
from gameforge.kernel.compile.jit import inline
from gameforge.retrograde.indexer import EXTERNAL_BITS, STORED
from gameforge_egdb_chinook.indexing import position_index, state_index
from gameforge_egdb_chinook.placement import (
    BOARD,
    arrangement,
    climbing_jumpers,
    down_left,
    down_right,
    neighbours,
    sinking_jumpers,
    spread,
    turned,
    up_left,
    up_right,
)
from gameforge_egdb_chinook.squares import padded_words
from gameforge_egdb_chinook.unit_block import (
    BK,
    BLACK_KINGS,
    BLACK_MEN,
    BLACK_RANK,
    BLACK_SETS,
    BM,
    BOARDS,
    CHILD,
    CHOOSE,
    CONVERSIONS,
    END,
    FIRST,
    MEN,
    MIRROR,
    MIRRORED,
    MOVES,
    OTHER,
    ROW,
    ROW_END,
    SIDE,
    SIDES,
    STATE,
    WHITE_MEN,
    WHITE_SETS,
    WK,
    WM,
    men_number,
)

_0, _1, _2, _4 = (np.uint64(n) for n in (0, 1, 2, 4))
_28, _32 = np.uint64(28), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_WHITE = np.uint64(1)
_STORED = np.uint64(STORED)
_play = inline(movegen.play)
_CHOOSE = np.uint64(CHOOSE)
_LOSS = np.uint64(LOSS)

(
    _SIDE,
    _ROW,
    _ROW_END,
    _BLACK_MEN,
    _WHITE_MEN,
    _BLACK_KINGS,
    _MIRRORED,
    _CONVERSIONS,
    _STATE,
    _CHILD,
    _MOVES,
    _BOARDS,
    _SIDES,
) = (
    np.uint64(n)
    for n in (
        SIDE,
        ROW,
        ROW_END,
        BLACK_MEN,
        WHITE_MEN,
        BLACK_KINGS,
        MIRRORED,
        CONVERSIONS,
        STATE,
        CHILD,
        MOVES,
        BOARDS,
        SIDES,
    )
)
_FIRST, _END, _BK, _WK, _BM, _WM, _BLACK_RANK, _BLACK_SETS, _WHITE_SETS, _MEN, _MIRROR, _OTHER = (
    np.uint64(n) for n in (FIRST, END, BK, WK, BM, WM, BLACK_RANK, BLACK_SETS, WHITE_SETS, MEN, MIRROR, OTHER)
)


@inline
def white_kings_at(game: Any, u: Any, i: Any) -> Any:
    """White kings of position i of a unit; sets the words of the block that describe its row."""
    if i < u[_ROW] or i >= u[_ROW_END]:
        side = u[_SIDES + _OTHER] if i >= u[_SIDES + _END] else _SIDES
        first, sets = u[side + _FIRST], u[side + _WHITE_SETS]
        row = (i - first) // sets
        men = row // u[side + _BLACK_SETS]
        pair = u[u[side + _MEN] + men]
        kings = game[u[_BOARDS + u[side + _BK]] + row - men * u[side + _BLACK_SETS]]
        u[_SIDE] = side
        u[_ROW] = first + row * sets
        u[_ROW_END] = u[_ROW] + sets
        u[_BLACK_MEN] = pair & _LOW
        u[_WHITE_MEN] = pair >> _32
        u[_BLACK_KINGS] = spread(kings, u[_BLACK_MEN] | u[_WHITE_MEN])
        u[_MIRRORED] = u[u[side + _MIRROR] + men]
    board = game[u[_BOARDS + u[u[_SIDE] + _WK]] + i - u[_ROW]]
    return spread(board, u[_BLACK_MEN] | u[_WHITE_MEN] | u[_BLACK_KINGS])


@inline
def _stored(game: Any, black_men: Any, white_men: Any, black_kings: Any, white_kings: Any) -> Any:
    """The word that names the stored successor with these boards, White to move."""
    return _STORED + position_index(
        game, turned(white_men), turned(black_men), turned(white_kings), turned(black_kings)
    )


@inline
def _capture(game: Any, u: Any, own: Any, opp: Any, kings: Any, jumpers: Any, out: Any) -> Any:
    """Write the successors by capture; the rules generate them."""
    s, child, moves = at(u, _STATE), at(u, _CHILD), at(u, _MOVES)
    s[0], s[1] = padded_words(own, opp)
    s[2], starts = padded_words(kings, jumpers)
    n = movegen.captures(s[0], s[1], s[2], _0, starts, moves)
    for i in range(n):
        _play(s, s, moves[i], child)
        if child[0] == _0:
            out[i] = _LOSS
        else:
            out[i] = _STORED + state_index(game, child[0], child[1], child[2] & PADDED_BOARD, _WHITE)
    return np.int64(n)


def expand(game: Any, u: Any, i: Any, out: Any) -> Any:
    """Write the successors of position i outside the unit; see gameforge.retrograde.indexer."""
    white_kings = white_kings_at(game, u, i)
    black_men, white_men, black_kings = u[_BLACK_MEN], u[_WHITE_MEN], u[_BLACK_KINGS]
    own, opp = black_men | black_kings, white_men | white_kings
    empty = BOARD & ~(own | opp)
    jumpers = climbing_jumpers(own, opp, empty) | sinking_jumpers(black_kings, opp, empty)
    if jumpers:
        return _capture(game, u, own, opp, black_kings | white_kings, jumpers, out)
    inside = (
        popcount(up_right(black_kings) & empty)
        + popcount(up_left(black_kings) & empty)
        + popcount(down_right(black_kings) & empty)
        + popcount(down_left(black_kings) & empty)
    )
    n = 0
    # Squares that a man can reach without leaving the unit, because it does not become the leading man.
    near = _0 if u[_CONVERSIONS] else (_1 << (_4 * u[u[_SIDE] + _BLACK_RANK] + _4)) - _1
    for direction in range(2):
        targets = (up_left(black_men) if direction else up_right(black_men)) & empty
        inside += popcount(targets & near)
        targets &= ~near
        while targets:
            target = targets & (_0 - targets)
            targets ^= target
            men = black_men ^ (down_right(target) if direction else down_left(target))
            crowned = target >> _28
            if crowned:
                out[n] = _stored(game, men, white_men, black_kings | target, white_kings)
            else:
                out[n] = _stored(game, men | target, white_men, black_kings, white_kings)
            n += 1
    return n + (np.int64(inside) << EXTERNAL_BITS)


def predecessors(game: Any, u: Any, i: Any, out: Any) -> Any:
    """Write the positions of the unit that lead to position i; see gameforge.retrograde.indexer.

    White has just moved. On the reversed board the mover is Black, whose move is taken back.
    """
    white_kings = turned(white_kings_at(game, u, i))
    black_kings = turned(u[_BLACK_KINGS])
    # On the reversed boards, the mover's kings are white_kings and the other side's are black_kings.
    men, others = turned(u[_WHITE_MEN]), turned(u[_BLACK_MEN])
    empty = BOARD & ~(men | others | white_kings | black_kings)
    side = u[u[_SIDE] + _OTHER]
    first, bk, wk = u[side + _FIRST], u[side + _BK], u[side + _WK]
    black_sets, white_sets = u[side + _BLACK_SETS], u[side + _WHITE_SETS]
    choose = at(u, _CHOOSE)
    n = 0
    occupied = men | others
    men_first = u[_MIRRORED] * black_sets
    kings = white_kings
    for _ in range(bk):
        king = kings & (_0 - kings)
        kings ^= king
        origins = neighbours(king) & empty
        while origins:
            origin = origins & (_0 - origins)
            origins ^= origin
            moved = white_kings ^ (king | origin)
            black = arrangement(choose, moved, bk, occupied)
            white = arrangement(choose, black_kings, wk, occupied | moved)
            out[n] = first + (men_first + black) * white_sets + white
            n += 1
    if u[_CONVERSIONS] or men == _0:
        return np.int64(n)
    rank = _4 * u[side + _BLACK_RANK]
    for direction in range(2):
        origins = (down_left(men) if direction else down_right(men)) & empty
        while origins:
            origin = origins & (_0 - origins)
            origins ^= origin
            before = men ^ (origin | (up_right(origin) if direction else up_left(origin)))
            if before >> rank:
                occupied = before | others
                number = men_number(u, choose, side, before, others)
                black = arrangement(choose, white_kings, bk, occupied)
                white = arrangement(choose, black_kings, wk, occupied | white_kings)
                out[n] = first + (number * black_sets + black) * white_sets + white
                n += 1
    return np.int64(n)
