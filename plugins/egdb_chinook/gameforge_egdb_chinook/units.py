"""The indexer of English draughts, with which retrograde analysis (gameforge_retrograde) numbers positions.

It is part of this plugin and not of the rules because it divides positions as Chinook's files do, so that solved slices
can be written as they are. A unit is a slice and the same slice with colours swapped: a king's step leads from one
slice of the unit to the other, and so does a step of a man that does not become its side's leading man. All other moves
lead to slices of earlier levels.

The block of a unit holds the tables that the functions for moves need, and their workspace. It belongs to the thread
that solves the unit. All positions have Black to move. Predecessors and successors have White to move, so they are
reversed.
"""

import itertools
from collections.abc import Sequence
from math import comb

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BOARD as PADDED_BOARD
from gameforge_retrograde.indexer import EXTERNAL_BITS, STORED, ByteArray, Unit

from gameforge.interfaces import LOSS
from gameforge.kernel import U0, U1, U2, U4, IntegerArray, Word, WordArray, Words, at, ctz, inline, kernel, popcount
from gameforge_egdb_chinook import indexing
from gameforge_egdb_chinook.indexing import arrangement, down_left, down_right, spread, turned, up_left, up_right
from gameforge_egdb_chinook.slices import MEN_SQUARES, Slice, arrangements, men_bases, table_block

_28, _31, _32 = np.uint64(28), np.uint64(31), np.uint64(32)


# Layout of the block, in words.
SIDE, ROW, ROW_END, BLACK_MEN, WHITE_MEN, BLACK_KINGS, MIRRORED = (np.uint64(n) for n in range(7))
"""The current row of positions, which differ only in their white kings: the offset of its slice, its first position and
its end, the other pieces on the board, and the number of the men's arrangement on the reversed board."""
CONVERSIONS = np.uint64(7)
"""Not 0 if moves of men count as leaving the unit, as captures do."""
STATE, CHILD = np.uint64(8), np.uint64(11)
"""Words of draughts states."""
MOVES = np.uint64(16)
BOARDS = np.uint64(272)
"""Offsets, in the game's block, of the arrangements of k kings, by k."""
CHOOSE = np.uint64(288)
"""C(p, k) at CHOOSE + 32 * k + p."""
SIDES = CHOOSE + np.uint64(32 * 9)
SIDE_WORDS = 16
FIRST, END, BK, WK, BM, WM, BLACK_RANK, WHITE_RANK, BLACK_SETS, WHITE_SETS, MEN, MIRROR, BASES, OTHER = (
    np.uint64(n) for n in range(14)
)
"""Words of a slice of the unit: its first position and end, pieces, ranks, numbers of arrangements of kings, offsets of
its men, of their mirror images and of their bases, and the offset of the other slice's words."""

_LOW = np.uint64(0xFFFFFFFF)


@inline
def men_number(u: Words, choose: Words, side: Word, black_men: Word, white_men: Word) -> Word:
    """Number of an arrangement of men in its slice; `side` is the offset of the slice's words."""
    index = U0
    k = U0
    rest = black_men
    for _ in range(u[side + BM]):
        k += U1
        index += choose[(k << np.uint64(5)) + ctz(rest)]
        rest &= rest - U1
    wm = u[side + WM]
    number = u[u[side + BASES] + index]
    if wm:
        below = u[side + WHITE_RANK] << U2
        number -= choose[(wm << np.uint64(5)) + below - popcount(black_men >> (_32 - below))]
        rest = white_men
        k = wm
        for _ in range(wm):
            square = ctz(rest)
            rest &= rest - U1
            number += choose[(k << np.uint64(5)) + _31 - square - popcount(black_men >> (square + U1))]
            k -= U1
    return number


@kernel
def _men_of_slice(
    black_sets: WordArray, white_sets: WordArray, firsts: IntegerArray, counts: IntegerArray, men: WordArray
) -> int:
    """Write all arrangements of the men of a slice in order, black men in the low half of a word; returns their number.

    For set b of black men, the white men are sets firsts[b] to firsts[b] + counts[b] of the free squares.
    """
    n = 0
    for b in range(black_sets.size):
        opposite = turned(black_sets[b])
        for w in range(firsts[b], firsts[b] + counts[b]):
            men[n] = black_sets[b] | (turned(spread(white_sets[w], opposite)) << _32)
            n += 1
    return n


@kernel
def _mirrors(block: WordArray, side: Word, other: Word) -> None:
    """Write, for each arrangement of men of a slice, the number of the reversed arrangement in the other slice."""
    u = at(block, U0)
    men, mirror = block[side + MEN], block[side + MIRROR]
    for i in range(mirror - men):
        pair = block[men + np.uint64(i)]
        number = men_number(u, at(block, CHOOSE), other, turned(pair >> _32), turned(pair & _LOW))
        block[mirror + np.uint64(i)] = number


def _men_boards(s: Slice) -> WordArray:
    """All arrangements of the men of a slice, in order."""
    low = comb(4 * s.black_rank, s.black_men) if s.black_men else 0
    black = arrangements(s.black_men)[low : comb(4 * (s.black_rank + 1), s.black_men)]
    if s.white_men == 0:
        return black
    white = arrangements(s.white_men)
    choose = np.array([comb(n, s.white_men) for n in range(MEN_SQUARES + 1)])
    below, up_to = (
        choose[4 * r - np.bitwise_count(black >> np.uint64(32 - 4 * r)).astype(int)]
        for r in (s.white_rank, s.white_rank + 1)
    )
    men = np.empty((up_to - below).sum(), np.uint64)
    _men_of_slice(black, white, below, up_to - below, men)
    return men


def unit_block(unit: Sequence[Slice], boards: Sequence[int], conversions: bool = False) -> WordArray:
    """Make the block of a unit; boards[k] is the offset of the arrangements of k kings in the game's block."""
    sides = int(SIDES)
    head = np.zeros(sides + 2 * SIDE_WORDS, np.uint64)
    head[BOARDS : int(BOARDS) + len(boards)] = boards
    head[CHOOSE:SIDES] = [comb(p, k) for k in range(9) for p in range(32)]
    head[CONVERSIONS] = conversions
    parts = [head]
    length = len(head)
    first = 0
    for number, s in enumerate(unit):
        free = 32 - s.black_men - s.white_men
        men = _men_boards(s)
        bases = men_bases(s.black_men, s.white_men)[0][s.white_rank]
        at_men, at_mirror, at_bases = length, length + len(men), length + 2 * len(men)
        other = (number + 1) % len(unit)
        start = sides + SIDE_WORDS * number
        head[start : start + 14] = (
            first,
            first + s.size,
            s.black_kings,
            s.white_kings,
            s.black_men,
            s.white_men,
            s.black_rank,
            s.white_rank,
            comb(free, s.black_kings),
            comb(free - s.black_kings, s.white_kings),
            at_men,
            at_mirror,
            at_bases,
            sides + SIDE_WORDS * other,
        )
        parts += [men, np.zeros_like(men), bases]
        length = at_bases + len(bases)
        first += s.size
    block = np.concatenate(parts)
    for number in range(len(unit)):
        start = sides + SIDE_WORDS * number
        _mirrors(block, np.uint64(start), block[start + int(OTHER)])
    return block


_WHITE = np.uint64(1)
_STORED = np.uint64(STORED)
_play = inline(movegen.play)
_LOSS = np.uint64(LOSS)


@inline
def white_kings_at(game: Words, u: Words, i: Word) -> Word:
    """White kings of position i of a unit; sets the words of the block that describe its row."""
    # Positions are visited in order, so the other pieces are found once for a row.
    if i < u[ROW] or i >= u[ROW_END]:
        side = u[SIDES + OTHER] if i >= u[SIDES + END] else SIDES
        first, sets = u[side + FIRST], u[side + WHITE_SETS]
        row = (i - first) // sets
        men = row // u[side + BLACK_SETS]
        pair = u[u[side + MEN] + men]
        kings = game[u[BOARDS + u[side + BK]] + row - men * u[side + BLACK_SETS]]
        u[SIDE] = side
        u[ROW] = first + row * sets
        u[ROW_END] = u[ROW] + sets
        u[BLACK_MEN] = pair & _LOW
        u[WHITE_MEN] = pair >> _32
        u[BLACK_KINGS] = spread(kings, u[BLACK_MEN] | u[WHITE_MEN])
        u[MIRRORED] = u[u[side + MIRROR] + men]
    board = game[u[BOARDS + u[u[SIDE] + WK]] + i - u[ROW]]
    return spread(board, u[BLACK_MEN] | u[WHITE_MEN] | u[BLACK_KINGS])


@inline
def _stored(game: Words, black_men: Word, white_men: Word, black_kings: Word, white_kings: Word) -> Word:
    """The word that names the stored successor with these boards, White to move."""
    return _STORED + indexing.position_index(
        game, turned(white_men), turned(black_men), turned(white_kings), turned(black_kings)
    )


@inline
def _capture(game: Words, u: Words, own: Word, opp: Word, kings: Word, jumpers: Word, out: Words) -> np.int64:
    """Write the successors by capture; the rules generate them."""
    s, child, moves = at(u, STATE), at(u, CHILD), at(u, MOVES)
    s[0], s[1] = indexing.padded_words(own, opp)
    s[2], starts = indexing.padded_words(kings, jumpers)
    n = movegen.captures(s[0], s[1], s[2], U0, starts, moves)
    for i in range(n):
        _play(s, s, moves[i], child)
        if child[0] == U0:
            out[i] = _LOSS
        else:
            out[i] = _STORED + indexing.state_index(game, child[0], child[1], child[2] & PADDED_BOARD, _WHITE)
    return np.int64(n)


def _expand(game: Words, u: Words, i: Word, out: Words) -> np.int64:
    """Write the successors of position i outside the unit; see gameforge_retrograde.indexer."""
    white_kings = white_kings_at(game, u, i)
    black_men, white_men, black_kings = u[BLACK_MEN], u[WHITE_MEN], u[BLACK_KINGS]
    own, opp = black_men | black_kings, white_men | white_kings
    empty = indexing.BOARD & ~(own | opp)
    # 1. Captures are forced, and all of them leave the unit.
    jumpers = indexing.climbing_jumpers(own, opp, empty) | indexing.sinking_jumpers(black_kings, opp, empty)
    if jumpers:
        return _capture(game, u, own, opp, black_kings | white_kings, jumpers, out)
    # 2. Steps of kings stay in the unit, so it is enough to count them.
    inside = (
        popcount(up_right(black_kings) & empty)
        + popcount(up_left(black_kings) & empty)
        + popcount(down_right(black_kings) & empty)
        + popcount(down_left(black_kings) & empty)
    )
    n = 0
    # 3. Steps of men. `near`: squares that a man reaches without becoming its side's leading man, so without leaving
    # the unit.
    near = U0 if u[CONVERSIONS] else (U1 << (U4 * u[u[SIDE] + BLACK_RANK] + U4)) - U1
    for direction in range(2):
        targets = (up_left(black_men) if direction else up_right(black_men)) & empty
        inside += popcount(targets & near)
        targets &= ~near
        while targets:
            target = targets & (U0 - targets)
            targets ^= target
            men = black_men ^ (down_right(target) if direction else down_left(target))
            crowned = target >> _28
            if crowned:
                out[n] = _stored(game, men, white_men, black_kings | target, white_kings)
            else:
                out[n] = _stored(game, men | target, white_men, black_kings, white_kings)
            n += 1
    return n + (np.int64(inside) << EXTERNAL_BITS)


def _predecessors(game: Words, u: Words, i: Word, out: Words) -> np.int64:
    """Write the positions of the unit that lead to position i; see gameforge_retrograde.indexer.

    White has just moved. On the reversed board the mover is Black, whose move is taken back.
    """
    white_kings = turned(white_kings_at(game, u, i))
    black_kings = turned(u[BLACK_KINGS])
    # On the reversed boards, the mover's kings are white_kings and the other side's are black_kings.
    men, others = turned(u[WHITE_MEN]), turned(u[BLACK_MEN])
    empty = indexing.BOARD & ~(men | others | white_kings | black_kings)
    side = u[u[SIDE] + OTHER]
    first, bk, wk = u[side + FIRST], u[side + BK], u[side + WK]
    black_sets, white_sets = u[side + BLACK_SETS], u[side + WHITE_SETS]
    choose = at(u, CHOOSE)
    n = 0
    occupied = men | others
    men_first = u[MIRRORED] * black_sets
    # 1. A king came from a neighbouring square. The men stand still, so their number is known.
    kings = white_kings
    for _ in range(bk):
        king = kings & (U0 - kings)
        kings ^= king
        origins = indexing.neighbours(king) & empty
        while origins:
            origin = origins & (U0 - origins)
            origins ^= origin
            moved = white_kings ^ (king | origin)
            black = arrangement(choose, moved, bk, occupied)
            white = arrangement(choose, black_kings, wk, occupied | moved)
            out[n] = first + (men_first + black) * white_sets + white
            n += 1
    # 2. A man came from below. Its step stayed in the unit only if its side's leading man was on the same rank before.
    if u[CONVERSIONS] or men == U0:
        return np.int64(n)
    rank = U4 * u[side + BLACK_RANK]
    for direction in range(2):
        origins = (down_left(men) if direction else down_right(men)) & empty
        while origins:
            origin = origins & (U0 - origins)
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


class DraughtsUnits:
    """The units of the given slices (slices.py), which must be in solving order."""

    expand = staticmethod(_expand)
    predecessors = staticmethod(_predecessors)

    def __init__(self, slices: Sequence[Slice]) -> None:
        self.slices = slices
        self.sizes = [s.size for s in slices]
        self.starts = [s.start for s in slices]
        numbers = {(s.material, s.black_rank, s.white_rank): number for number, s in enumerate(slices)}
        self.levels: list[list[Unit]] = []
        for _, level in itertools.groupby(range(len(slices)), key=lambda number: slices[number].level):
            units: list[Unit] = []
            for number in level:
                s = slices[number]
                swapped = (s.white_kings, s.black_kings, s.white_men, s.black_men), s.white_rank, s.black_rank
                other = numbers[swapped]
                if number <= other:
                    units.append((number,) if number == other else (number, other))
            self.levels.append(units)
        self._boards: list[int] = []

    def game_block(self, places: Sequence[int]) -> WordArray:
        """The tables of slices.py, followed by the arrangements of kings."""
        parts = [table_block(self.slices, places[: len(self.slices)])]
        length = len(parts[0])
        self._boards = []
        for kings in range(1 + max(max(s.black_kings, s.white_kings) for s in self.slices)):
            parts.append(arrangements(kings))
            self._boards.append(length)
            length += len(parts[-1])
        return np.concatenate(parts)

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        """The block of a unit; `game_block` must have been called before."""
        return unit_block([self.slices[number] for number in unit], self._boards, conversions)

    def scatter(self, unit: Unit, found: ByteArray, values: ByteArray) -> None:
        """Copy a unit's bytes into those of all positions, which are in the order of slices.py."""
        for s, part in self.parts(unit, found):
            values[s.start : s.start + s.size] = part

    def parts(self, unit: Unit, found: ByteArray) -> list[tuple[Slice, ByteArray]]:
        """The slices of a unit, each with its part of the unit's bytes."""
        chosen = [self.slices[number] for number in unit]
        ends = itertools.accumulate(s.size for s in chosen)
        return [(s, found[end - s.size : end]) for s, end in zip(chosen, ends, strict=True)]
