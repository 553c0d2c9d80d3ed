"""Moves of all kinds of draughts: the functions for the kernel, and the indices of moves.

A move is one complete turn in one word: from (6 bits), to (6 bits), the captured pieces among the opponent's, in the
order of squares (20 bits), whether a man was crowned on its way (1 bit), and a number that is 0 except for further
routes with the same result, if the rules count those as moves of their own.

The last word of a state counts the plies in an ending, and the moves in a row of each side's king. Bits: 0 the colour
to move; 1 to 8 plies since the last capture or promotion of an ending; 9 to 16 White's king and 17 to 24 Black's: two
bits for its moves in a row, then six for its square. All are 0 if the rules need no counters.
"""

import functools

import numpy as np

from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, MoveIndices
from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, ctz, inline, popcount
from gameforge_draughts_family import block, captures
from gameforge_draughts_family.board import Board, Variant, board_of

_8 = np.uint64(8)
_HALF = np.uint64(32)
_BOTH = U1 | (U1 << captures.TO_SHIFT)
"""A square times this is a move from it to itself."""
_SECOND_REASON = 1
"""Index of the second reason why games end: the first king (goal=king), or the limit of an ending (all other goals)."""
PLIES_SHIFT, KING_SHIFT = np.uint64(1), np.uint64(9)
PLIES_MASK = np.uint64(255)
BYTE, TIMES = np.uint64(255), np.uint64(3)
_SQUARE_SHIFT = np.uint64(2)


@inline
def king_counter(rest: Word, black: Word) -> Word:
    """Return a side's king: its square times 4, plus the number of its moves in a row; 0 if there is none."""
    return (rest >> (KING_SHIFT + _8 * black)) & BYTE


@inline
def resting(rules: Words, own: Word, kings: Word, rest: Word, black: Word) -> Word:
    """Return the own king that may not move now, as a bit; 0 if all may."""
    counter = king_counter(rest, black)
    if rules[block.KING_MOVES] == U0 or (counter & TIMES) < rules[block.KING_MOVES] or own & ~kings == U0:
        return U0
    return U1 << (counter >> _SQUARE_SHIFT)


@inline
def plies_limit(rules: Words, own: Word, opp: Word, kings: Word) -> Word:
    """Return the number of plies after which this ending is drawn; 0 if it has no limit."""
    total = popcount(own | opp)
    own_kings, opp_kings = popcount(own & kings), popcount(opp & kings)
    if total > rules[block.MOST_PIECES] or own_kings == U0 or opp_kings == U0:
        return U0
    alone = popcount(own) == U1 or popcount(opp) == U1
    row = block.ENDING_ROWS
    for _ in range(rules[block.ENDING_COUNT]):
        fits = rules[row] <= total and total <= rules[row + U1] and rules[row + U3] <= max(own_kings, opp_kings)
        if fits and (alone or rules[row + U2] == U0):
            return rules[row + block.ENDING_WORDS - U1]
        row += block.ENDING_WORDS
    return U0


@inline
def counted(
    rules: Words,
    own: Word,
    opp: Word,
    kings: Word,
    rest: Word,
    start: Word,
    to: Word,
    taken: Word,
    converts: Word,
    by_king: Word,
) -> Word:
    """Return the last word after a move.

    own, opp, kings: the pieces after it, `own` those of the side that moved; start, to: numbers of its squares;
    converts: whether it captured or crowned; by_king: whether a king moved.
    """
    black = rest & U1
    after = black ^ U1
    if rules[block.MOST_PIECES] != U0 and not converts and plies_limit(rules, own, opp, kings) != U0:
        plies = (rest >> PLIES_SHIFT) & PLIES_MASK
        after |= min(plies + U1, PLIES_MASK) << PLIES_SHIFT
    if rules[block.KING_MOVES] == U0:
        return after
    mine, theirs = king_counter(rest, black), king_counter(rest, black ^ U1)
    # The counter of a captured king ends with it; another king may come to its square.
    if theirs & TIMES and (taken >> (theirs >> _SQUARE_SHIFT)) & U1:
        theirs = U0
    moves = U0
    # Only moves of a side that also has men count, and a capture or another piece's move begins anew.
    if by_king and taken == U0 and own & ~kings != U0:
        again = mine & TIMES and (mine >> _SQUARE_SHIFT) == start
        moves = (to << _SQUARE_SHIFT) | ((mine & TIMES) + U1 if again else U1)
    return after | (moves << (KING_SHIFT + _8 * black)) | (theirs << (KING_SHIFT + _8 * (black ^ U1)))


@inline
def _back(rules: Words, direction: Word) -> Word:
    """Return what leads from a square to the one a step back."""
    shift = rules[block.SHIFT + (direction >> U1)]
    return U0 - shift if direction & U1 else shift


@inline
def _steps(rules: Words, movers: Word, directions: Word, empty: Word, moves: Words, n: Word) -> Word:
    """Write the moves of one step of these pieces.

    On boards of 32 squares two directions share a loop: the targets of the second are 32 bits higher. A loop for each
    would end in a misprediction for each.
    """
    narrow = rules[block.SQUARES] >> _HALF == U0
    while directions:
        direction = ctz(directions)
        directions &= directions - U1
        targets = captures.step(rules, movers, direction) & empty
        near = far = _back(rules, direction)
        if narrow and directions:
            direction = ctz(directions)
            directions &= directions - U1
            targets |= (captures.step(rules, movers, direction) & empty) << _HALF
            far = _back(rules, direction) - _HALF * _BOTH
        while targets:
            to = ctz(targets)
            targets &= targets - U1
            moves[n] = to * _BOTH + (near if to < _HALF else far)
            n += U1
    return n


@inline
def _slides(rules: Words, kings: Word, empty: Word, moves: Words, n: Word) -> Word:
    """Write the moves of flying kings."""
    while kings:
        king = kings & (U0 - kings)
        kings ^= king
        start = ctz(king)
        direction = U0
        while direction < U4:
            there = captures.step(rules, king, direction) & empty
            while there:
                moves[n] = start | (ctz(there) << captures.TO_SHIFT)
                n += U1
                there = captures.step(rules, there, direction) & empty
            direction += U1
    return n


def gen(rules: Words, s: Words, moves: Words) -> Word:
    own, opp, kings, rest = s[0], s[1], s[2], s[3]
    black = rest & U1
    empty = rules[block.SQUARES] & ~(own | opp)
    own_kings = own & kings
    men = own ^ own_kings
    prey = opp & ~kings if rules[block.KINGS_SAFE] else opp
    # Captures are compulsory, so other moves are looked for only if no piece can capture.
    starts = captures.jumpers(rules, men, rules[block.MEN_JUMPS + black], prey, empty)
    if own_kings:
        if rules[block.FLYING]:
            starts |= captures.flying_jumpers(rules, own_kings, opp, empty)
        else:
            starts |= captures.jumpers(rules, own_kings, rules[block.KING_JUMPS], opp, empty)
    if starts:
        return captures.captures(rules, own, opp, kings, black, starts, moves)
    n = _steps(rules, men, rules[block.MEN_STEPS + black], empty, moves, U0)
    if own_kings:
        own_kings &= ~resting(rules, own, kings, rest, black)
        if rules[block.FLYING]:
            return _slides(rules, own_kings, empty, moves, n)
        return _steps(rules, own_kings, np.uint64(15), empty, moves, n)
    return n


@inline
def taken_pieces(opp: Word, move: Word) -> Word:
    """Return the pieces that a move captures."""
    among = (move >> captures.TAKEN_SHIFT) & captures.TAKEN_MASK
    found = U0
    while among:
        if among & U1:
            found |= opp & (U0 - opp)
        opp &= opp - U1
        among >>= U1
    return found


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    own, opp, kings, rest = s[0], s[1], s[2], s[3]
    start, to = m & captures.SQUARE_MASK, (m >> captures.TO_SHIFT) & captures.SQUARE_MASK
    here, there = U1 << start, U1 << to
    taken = taken_pieces(opp, m)
    was_king = kings & here
    crowned = there if m & captures.CROWNED else there & rules[block.LAST_ROW + (rest & U1)]
    child[0] = opp & ~taken
    child[1] = (own & ~here) | there
    child[2] = (kings & ~(taken | here)) | (there if was_king else crowned)
    converts = taken | (U0 if was_king else crowned)
    child[3] = counted(rules, child[1], child[0], child[2], rest, start, to, taken, converts, was_king)


def outcome(rules: Words, s: Words, n_moves: Word) -> int:
    """A side that cannot move loses, or wins if that is the goal; endings with few pieces have a limit."""
    goal = rules[block.GOAL]
    if goal == block.KING and s[1] & s[2]:
        return LOSS + 4 * _SECOND_REASON
    at_once = rules[block.ENDING_COUNT] != U0 and rules[block.ENDING_ROWS + block.ENDING_WORDS - U1] == U0
    if at_once and popcount(s[0]) == U1 and popcount(s[1]) == U1:
        return DRAW + 4 * _SECOND_REASON
    if n_moves == U0:
        return WIN if goal == block.LOSE else LOSS
    plies = (s[3] >> PLIES_SHIFT) & PLIES_MASK
    if plies != U0 and rules[block.MOST_PIECES] != U0:
        limit = plies_limit(rules, s[0], s[1], s[2])
        if limit != U0 and plies >= limit:
            return DRAW + 4 * _SECOND_REASON
    return RUNNING


def irreversible(rules: Words, s: Words, m: Word) -> Word:
    """Captures cannot be undone, nor moves of men, except sideways: to the next bit, on the orthogonal board."""
    start, to = m & captures.SQUARE_MASK, (m >> captures.TO_SHIFT) & captures.SQUARE_MASK
    advances = (s[2] >> start) & U1 == U0 and to != start + U1 and start != to + U1
    return U1 if advances or m >> captures.TAKEN_SHIFT else U0


def retracts(rules: Words, before: Word, m: Word) -> Word:
    """A piece returns to where it came from, and neither move captures; men never do so, except sideways."""
    back = (before >> captures.TO_SHIFT) | ((before & captures.SQUARE_MASK) << captures.TO_SHIFT)
    return U1 if before >> captures.TAKEN_SHIFT == U0 and back == m else U0


def noisy(rules: Words, s: Words, moves: Words, n: Word) -> Word:
    """Captures; since they are compulsory, either all moves are noisy or none is."""
    return n if n != U0 and moves[0] >> captures.TAKEN_SHIFT else U0


_BITS = 64
_6 = np.uint64(6)
_STEPS, _CAPTURES = U1, U1 + np.uint64(_BITS * _BITS)
"""Where the tables begin, with an entry for each pair of bits. Word 0 is the last bit of the board."""


def index(data: Words, s: Words, m: Word) -> Word:
    start, to = m & captures.SQUARE_MASK, (m >> captures.TO_SHIFT) & captures.SQUARE_MASK
    if s[3] & U1 == U0:  # White sees the board turned
        start, to = data[U0] - start, data[U0] - to
    table = _STEPS if m >> captures.TAKEN_SHIFT == U0 else _CAPTURES
    return data[table + (start << _6) + to]


@functools.cache
def move_indices(variant: Variant) -> MoveIndices:
    """Return the indices of moves: for steps the squares from which and to which they lead, for captures roughly these.

    Steps come first: one index for each square and each other one on its lines. Nine follow for each square: captures
    from there, by whether they end in a row above, below or the same, and in a column to the left, to the right or the
    same. Captures that agree in this have successive indices. Squares are seen from the side to move, as in `cells`.
    """
    board = board_of(variant)
    steps, jumps = np.zeros((_BITS, _BITS), np.uint64), np.zeros((_BITS, _BITS), np.uint64)
    count = 0
    for square, bit in enumerate(board.bits):
        for other in _on_lines(board, square):
            steps[bit, board.bits[other]] = count
            count += 1
    for bit, (row, column) in zip(board.bits, board.places, strict=True):
        for other_bit, (other_row, other_column) in zip(board.bits, board.places, strict=True):
            jumps[bit, other_bit] = count + 4 + 3 * np.sign(other_row - row) + np.sign(other_column - column)
        count += 9
    data = np.concatenate([np.array([max(board.bits)], np.uint64), steps.reshape(-1), jumps.reshape(-1)])
    return MoveIndices(size=count, index=index, data=data)


def _on_lines(board: Board, square: int) -> list[int]:
    """Return the other squares on the lines along which pieces move."""
    row, column = board.places[square]
    found = []
    for rows, columns in board.axes[:2]:
        for sign in (1, -1):
            for distance in range(1, board.size):
                place = row + sign * distance * rows, column + sign * distance * columns
                if place in board.square_at:
                    found.append(board.square_at[place])
    return found
