"""Moves on boards of more than 64 squares, where a set of pieces needs two words: the functions for the kernel.

The rules of captures are those of international draughts: flying kings, men that capture in all directions, most
pieces, and a man that passes the last row stays a man. The bit of a square is its place in reading order, and a table
leads from each square to its neighbours; there is no shift that makes the same step everywhere in two words.

A state has seven words: pieces of the side to move, of the other side, and kings of both, two words each, the squares
from 64 on in the second; and the colour to move. A move is one complete turn in one word: from (7 bits), to (7 bits),
the captured pieces among the opponent's, in the order of squares (30 bits), a bit that is 0, and a number that is 0
except for further routes with the same result, if the rules count those as moves of their own (`board.WIDE`).
"""

import functools

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import LOSS, RUNNING, WIN
from gameforge.kernel import U0, U1, U2, U4, Word, Words, at, ctz, inline, popcount
from gameforge_draughts_family import block
from gameforge_draughts_family.board import WIDE, Variant, board_of

STATE_WORDS = 7
MAX_MOVES = 1024
_SIZE, _SQUARES, _64 = np.uint64(12), np.uint64(72), np.uint64(64)
_OFF = _SQUARES
"""The neighbour of a square at the edge: a bit that is neither free nor a piece."""
_SECOND_WORD = np.uint64((1 << 72 - 64) - 1)
_BLACKS_LAST_ROW, _WHITES_LAST_ROW = _SQUARES - _SIZE // U2, _SIZE // U2
"""Squares from the first on, and squares before the second."""
_TO_SHIFT, _TAKEN_SHIFT, _ROUTE_SHIFT = (np.uint64(n) for n in (WIDE.square, WIDE.captured, WIDE.route))
_SQUARE_MASK, _TAKEN_MASK = np.uint64((1 << WIDE.square) - 1), np.uint64((1 << WIDE.taken) - 1)
_LAST = np.uint64(6)
"""The word of a state with the colour to move."""

_APART, _GOAL, _NEXT = U0, U1, U2
"""Words of the settings: whether captures that differ only in their route are different moves; who wins; from here on,
for each direction (as in `block`), the neighbour of each square."""
_EVERY_DIRECTION = np.uint64(15)

_FRAME = np.uint64(5)
_HERE, _UNTRIED, _CAME, _TAKEN, _TAKEN_2 = (np.uint64(n) for n in range(5))
"""Words of a frame of the search for captures: the square on which the piece stands, the directions that it has not
tried from there, the direction from which it came, and all captured pieces."""
_STACK = np.uint64(MAX_MOVES - 5 * (WIDE.taken + 1))
"""Where in the block of moves the frames begin: the number of moves that fit before them."""


@functools.cache
def settings(variant: Variant, routes: str) -> NDArray[np.uint64]:
    """Return the settings of a variant; routes: as for `block.settings`."""
    board = board_of(variant)
    words = [int(routes == "apart"), block.GOALS.index(variant.goal)]
    for direction in range(4):
        rows, columns = board.axes[direction // 2]
        sign = -1 if direction % 2 else 1
        for row, column in board.places:
            words.append(board.square_at.get((row + sign * rows, column + sign * columns), len(board.places)))
    found = np.array(words, np.uint64)
    found.flags.writeable = False
    return found


@inline
def _next(rules: Words, direction: Word, square: Word) -> Word:
    return rules[_NEXT + direction * _SQUARES + square]


@inline
def _has(first: Word, second: Word, square: Word) -> Word:
    """Return 1 if a set has this square, else 0."""
    return (first >> square) & U1 if square < _64 else (second >> (square - _64)) & U1


@inline
def _first_bit(square: Word) -> Word:
    """Return the first word of a set with this square alone."""
    return U1 << square if square < _64 else U0


@inline
def _second_bit(square: Word) -> Word:
    """Return the second word of a set with this square alone."""
    return U1 << (square - _64) if square >= _64 else U0


@inline
def _first_of(first: Word, second: Word) -> tuple[Word, Word, Word]:
    """Return the first square of a set, which is not empty, and the two words of the set without it."""
    if first:
        return ctz(first), first & (first - U1), second
    return _64 + ctz(second), first, second & (second - U1)


@inline
def _among(opp: Word, opp_2: Word, taken: Word, taken_2: Word) -> Word:
    """Return captured pieces as bits among the opponent's pieces, in the order of squares."""
    found = U0
    while taken:
        piece = taken & (U0 - taken)
        taken ^= piece
        found |= U1 << popcount(opp & (piece - U1))
    before = popcount(opp)
    while taken_2:
        piece = taken_2 & (U0 - taken_2)
        taken_2 ^= piece
        found |= U1 << (before + popcount(opp_2 & (piece - U1)))
    return found


@inline
def _listed(rules: Words, move: Word, first: Word, n: Word, moves: Words) -> Word:
    """Add a capture to those of its piece, which begin at `first`, unless it is one of them; return their end."""
    alike = U0
    for i in range(first, n):
        if moves[i] & ((U1 << _ROUTE_SHIFT) - U1) == move:
            alike += U1
    if (alike != U0 and rules[_APART] == U0) or n == _STACK:
        return n
    moves[n] = move | (alike << _ROUTE_SHIFT)
    return n + U1


@inline
def _captures(rules: Words, s: Words, moves: Words) -> Word:
    """Write all captures of most pieces; return their number."""
    own, own_2, opp, opp_2, kings, kings_2 = s[0], s[1], s[2], s[3], s[4], s[5]
    n, best = U0, U0
    left, left_2 = own, own_2
    while left | left_2:
        start, left, left_2 = _first_of(left, left_2)
        is_king = _has(kings, kings_2, start)
        # The piece has left its square, so its route may cross it.
        free = ~(own | opp) | _first_bit(start)
        free_2 = (~(own_2 | opp_2) & _SECOND_WORD) | _second_bit(start)
        first, depth = n, U0
        frame = at(moves, _STACK)
        frame[_HERE], frame[_UNTRIED] = start, _EVERY_DIRECTION
        frame[_CAME] = frame[_TAKEN] = frame[_TAKEN_2] = U0
        while True:
            frame = at(moves, _STACK + depth * _FRAME)
            untried, came = frame[_UNTRIED], frame[_CAME]
            # Step 1. Jump in the next direction that has not been tried from this square. No piece is jumped twice,
            # and captured ones stay in the way.
            if untried:
                direction = ctz(untried)
                frame[_UNTRIED] = untried & (untried - U1)
                taken, taken_2 = frame[_TAKEN], frame[_TAKEN_2]
                over = _next(rules, direction, frame[_HERE])
                while is_king and _has(free, free_2, over):
                    over = _next(rules, direction, over)
                if not _has(opp & ~taken, opp_2 & ~taken_2, over):
                    continue
                to = _next(rules, direction, over)
                if not _has(free, free_2, to):
                    continue
                depth += U1
                frame = at(moves, _STACK + depth * _FRAME)
                taken |= _first_bit(over)
                taken_2 |= _second_bit(over)
                frame[_HERE], frame[_CAME], frame[_TAKEN], frame[_TAKEN_2] = to, direction, taken, taken_2
                frame[_UNTRIED] = _EVERY_DIRECTION & ~(U1 << (direction ^ U1))
                # Step 2. List what ends here. A longer capture makes all that were found so far illegal.
                if depth > best:
                    best = depth
                    n = first = U0
                if depth == best:
                    move = start | (_among(opp, opp_2, taken, taken_2) << _TAKEN_SHIFT)
                    n = _listed(rules, move | (to << _TO_SHIFT), first, n, moves)
                    to = _next(rules, direction, to)
                    while is_king and _has(free, free_2, to):
                        n = _listed(rules, move | (to << _TO_SHIFT), first, n, moves)
                        to = _next(rules, direction, to)
                continue
            if depth == U0:
                break
            # Step 3. A king may stand one square further on, where only turns are new: what lies straight ahead is the
            # same from each of these squares.
            here = _next(rules, came, frame[_HERE])
            if is_king and _has(free, free_2, here):
                frame[_HERE] = here
                frame[_UNTRIED] = _EVERY_DIRECTION & ~((U1 << came) | (U1 << (came ^ U1)))
                continue
            depth -= U1
    return n


def gen(rules: Words, s: Words, moves: Words) -> Word:
    n = _captures(rules, s, moves)
    if n:
        return n
    black = s[_LAST] & U1
    own, own_2, kings, kings_2 = s[0], s[1], s[4], s[5]
    free, free_2 = ~(own | s[2]), ~(own_2 | s[3]) & _SECOND_WORD
    while own | own_2:
        start, own, own_2 = _first_of(own, own_2)
        is_king = _has(kings, kings_2, start)
        direction = U0 if is_king else black
        while direction < U4:
            to = _next(rules, direction, start)
            while _has(free, free_2, to):
                moves[n] = start | (to << _TO_SHIFT)
                n += U1
                if not is_king:
                    break
                to = _next(rules, direction, to)
            direction += U1 if is_king else U2
    return n


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    start, to = m & _SQUARE_MASK, (m >> _TO_SHIFT) & _SQUARE_MASK
    black = s[_LAST] & U1
    opp, opp_2 = s[2], s[3]
    kept, kept_2 = opp, opp_2
    among = (m >> _TAKEN_SHIFT) & _TAKEN_MASK
    while among:
        if opp:
            if among & U1:
                kept ^= opp & (U0 - opp)
            opp &= opp - U1
        else:
            if among & U1:
                kept_2 ^= opp_2 & (U0 - opp_2)
            opp_2 &= opp_2 - U1
        among >>= U1
    here, here_2, there, there_2 = _first_bit(start), _second_bit(start), _first_bit(to), _second_bit(to)
    crowned = to >= _BLACKS_LAST_ROW if black else to < _WHITES_LAST_ROW
    child[0], child[1] = kept, kept_2
    child[2], child[3] = (s[0] & ~here) | there, (s[1] & ~here_2) | there_2
    kings, kings_2 = s[4] & ~here & (s[0] | kept), s[5] & ~here_2 & (s[1] | kept_2)
    if crowned or _has(s[4], s[5], start):
        kings |= there
        kings_2 |= there_2
    child[4], child[5] = kings, kings_2
    child[_LAST] = black ^ U1


def outcome(rules: Words, s: Words, n_moves: Word) -> int:
    """As in `movegen`, for rules without limits of endings."""
    goal = rules[_GOAL]
    if goal == block.KING and (s[2] & s[4]) | (s[3] & s[5]):
        return LOSS + 4
    if n_moves == U0:
        return WIN if goal == block.LOSE else LOSS
    return RUNNING


def irreversible(rules: Words, s: Words, m: Word) -> Word:
    """Captures cannot be undone, nor moves of men."""
    return U0 if m >> _TAKEN_SHIFT == U0 and _has(s[4], s[5], m & _SQUARE_MASK) else U1


def retracts(rules: Words, before: Word, m: Word) -> Word:
    """A piece returns to where it came from, and neither move captures."""
    back = (before >> _TO_SHIFT) | ((before & _SQUARE_MASK) << _TO_SHIFT)
    return U1 if before >> _TAKEN_SHIFT == U0 and back == m else U0


def noisy(rules: Words, s: Words, moves: Words, n: Word) -> Word:
    """Captures; since they are compulsory, either all moves are noisy or none is."""
    return n if n != U0 and moves[0] >> _TAKEN_SHIFT else U0
