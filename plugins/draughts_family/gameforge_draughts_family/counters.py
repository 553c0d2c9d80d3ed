"""Counters in the last word of a state: plies in an ending, and moves in a row of each side's king.

Bits: 0 the colour to move; 1 to 8 plies since the last capture or promotion of an ending; 9 to 16 White's king and
17 to 24 Black's: two bits for its moves in a row, then six for its square. All are 0 if the rules need no counters.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import popcount
from gameforge.kernel.compile.jit import inline
from gameforge_draughts_family.block import ENDING_COUNT, ENDING_ROWS, ENDING_WORDS, KING_MOVES, MOST_PIECES

_0, _1, _2, _3, _8 = (np.uint64(n) for n in (0, 1, 2, 3, 8))
PLIES_SHIFT, KING_SHIFT = np.uint64(1), np.uint64(9)
PLIES_MASK = np.uint64(255)
BYTE, TIMES = np.uint64(255), np.uint64(3)
_SQUARE_SHIFT = np.uint64(2)


@inline
def king_counter(rest: Any, black: Any) -> Any:
    """Return a side's king: its square times 4, plus the number of its moves in a row; 0 if there is none."""
    return (rest >> (KING_SHIFT + _8 * black)) & BYTE


@inline
def resting(rules: Any, own: Any, kings: Any, rest: Any, black: Any) -> Any:
    """Return the own king that may not move now, as a bit; 0 if all may."""
    counter = king_counter(rest, black)
    if rules[KING_MOVES] == _0 or (counter & TIMES) < rules[KING_MOVES] or own & ~kings == _0:
        return _0
    return _1 << (counter >> _SQUARE_SHIFT)


@inline
def plies_limit(rules: Any, own: Any, opp: Any, kings: Any) -> Any:
    """Return the number of plies after which this ending is drawn; 0 if it has no limit."""
    total = popcount(own | opp)
    own_kings, opp_kings = popcount(own & kings), popcount(opp & kings)
    if total > rules[MOST_PIECES] or own_kings == _0 or opp_kings == _0:
        return _0
    alone = popcount(own) == _1 or popcount(opp) == _1
    row = ENDING_ROWS
    for _ in range(rules[ENDING_COUNT]):
        fits = rules[row] <= total and total <= rules[row + _1] and rules[row + _3] <= max(own_kings, opp_kings)
        if fits and (alone or rules[row + _2] == _0):
            return rules[row + ENDING_WORDS - _1]
        row += ENDING_WORDS
    return _0


@inline
def counted(
    rules: Any, own: Any, opp: Any, kings: Any, rest: Any, start: Any, to: Any, taken: Any, converts: Any, by_king: Any
) -> Any:
    """Return the last word after a move.

    own, opp, kings: the pieces after it, `own` those of the side that moved; start, to: numbers of its squares;
    converts: whether it captured or crowned; by_king: whether a king moved.
    """
    black = rest & _1
    after = black ^ _1
    if rules[MOST_PIECES] != _0 and not converts and plies_limit(rules, own, opp, kings) != _0:
        plies = (rest >> PLIES_SHIFT) & PLIES_MASK
        after |= min(plies + _1, PLIES_MASK) << PLIES_SHIFT
    if rules[KING_MOVES] == _0:
        return after
    mine, theirs = king_counter(rest, black), king_counter(rest, black ^ _1)
    if theirs & TIMES and (taken >> (theirs >> _SQUARE_SHIFT)) & _1:
        theirs = _0
    moves = _0
    if by_king and taken == _0 and own & ~kings != _0:
        again = mine & TIMES and (mine >> _SQUARE_SHIFT) == start
        moves = (to << _SQUARE_SHIFT) | ((mine & TIMES) + _1 if again else _1)
    return after | (moves << (KING_SHIFT + _8 * black)) | (theirs << (KING_SHIFT + _8 * (black ^ _1)))
