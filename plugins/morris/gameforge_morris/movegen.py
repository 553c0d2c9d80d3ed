"""The board as bits, and the moves of Nine Men's Morris: neighbours and mills of all points of a word at once.

The three rings have eight points each, from the outer one (bits 0 to 7) to the inner one (16 to 23). In each ring the
points are numbered clockwise from the upper left corner, so corners have even bits and middles of sides odd ones.
Neighbours in a ring are one bit apart (the byte wraps around), neighbours on a spoke eight bits.

A state is three words: men of the side to move, men of the other side, and 2 * placements left, plus 1 if Black is to
move, plus 64 * lead. White moves first. Where the sides take turns to place men, the side to move has (n + 1) // 2 of
the n placements left, and the lead is 0. In Lasker Morris it has (n + 1) // 2 + lead of them, and the lead, from -8 to
7, is stored in four bits as two's complement.

A move is one complete turn in one word: the point moved to (5 bits), the point moved from (5 bits; NOWHERE if the man
is placed from the hand), the point of the removed man (5 bits; NOWHERE if none is). Data: 1 if a side with three men
may fly, plus 2 if the board has diagonals, plus 4 if men may move while there are men in hand (Lasker Morris).

A mill is three men on a side of a ring or on a spoke. Each corner therefore belongs to two lines of its ring, and each
middle to one line of its ring and to its spoke. Diagonals are spokes of the corners, so functions that look along
spokes are told which points have one.
"""

import numpy as np

from gameforge.interfaces import DRAW, LOSS, RUNNING, MoveIndices, State
from gameforge.kernel import U0, U1, U2, U3, U4, Word, WordArray, Words, ctz, inline, popcount

_6, _7, _8, _16 = (np.uint64(n) for n in (6, 7, 8, 16))

POINTS = 24
_OUTER, _MIDDLE, _INNER = "a7d7g7g4g1d1a1a4", "b6d6f6f4f2d2b2b4", "c5d5e5e4e3d3c3c4"
NAMES = tuple(ring[i : i + 2] for ring in (_OUTER, _MIDDLE, _INNER) for i in range(0, 16, 2))
"""NAMES[bit]: name of the point."""
STATE_WORDS = 3
WHITE, BLACK = 0, 1
SIDES = ("White", "Black")
LEAST_MEN = 3
"""A side with fewer men, those in hand counted, has lost; a side with exactly as many, and none in hand, may fly."""


def mask(*names: str) -> int:
    """Return the word with the bits of these points."""
    return sum(1 << NAMES.index(name) for name in names)


def to_move(state: State) -> int:
    """Return the side to move, WHITE or BLACK."""
    return state[2] & 1


def men(state: State) -> tuple[int, int]:
    """Return (White's men, Black's men) on the board, as words."""
    own, opp, rest = state
    return (opp, own) if rest & 1 else (own, opp)


def hands(state: State) -> tuple[int, int]:
    """Return (White's, Black's) numbers of men that are still to be placed."""
    left, lead = state[2] >> 1 & 31, state[2] >> 6
    own = (left + 1) // 2 + (lead if lead < 8 else lead - 16)
    return (left - own, own) if to_move(state) else (own, left - own)


def state_of(white: int, black: int, left: int, side: int, lead: int = 0) -> State:
    """Return the state with these men, `left` placements left, and `side` to move; lead: see above."""
    rest = 2 * left + side + 64 * (lead & 15)
    return (black, white, rest) if side else (white, black, rest)


_LEAST_MEN = np.uint64(LEAST_MEN)
FROM_SHIFT, REMOVED_SHIFT, POINT_MASK = np.uint64(5), np.uint64(10), np.uint64(31)
NOWHERE = np.uint64(POINTS)
NONE_REMOVED = NOWHERE << REMOVED_SHIFT
_LEFT, _LEAD, _LEAD_SHIFT = np.uint64(31), np.uint64(15), np.uint64(6)
_RING, _IN_RING = np.uint64(24), np.uint64(7)
CLOCKWISE, COUNTERCLOCKWISE, INWARDS, OUTWARDS = range(4)

MOST_MEN = 11
"""Maximum number of men of each side, with which there is always a free point to place a man on."""
MAX_MOVES = 352
"""An upper bound: 32 lines, along each of which at most one man can step, times 11 men to remove."""
MAX_MOVES_OF_12 = 480
"""The same with 12 men to remove, and with the 8 lines of the diagonals."""
MAX_MOVES_OF_LASKER = 768
"""The same with 24 points more on which a man may be placed."""
FLYING, DIAGONALS, LASKER = U1, U2, U4
"""Bits of the data."""
TOO_FEW, BLOCKED, FULL = 0, 1, 2
"""Reasons for the end of a game."""

BOARD = np.uint64(0xFFFFFF)
CORNERS, MIDDLES = np.uint64(0x555555), np.uint64(0xAAAAAA)
_OUTER_MIDDLES = np.uint64(0xAA)
_ALL_BUT_1, _ALL_BUT_2 = np.uint64(0xFEFEFE), np.uint64(0xFCFCFC)
_FIRST_1, _FIRST_2 = np.uint64(0x010101), np.uint64(0x030303)


@inline
def clockwise(x: Word) -> Word:
    """Return the clockwise neighbour of each point in its ring."""
    return ((x << U1) & _ALL_BUT_1) | ((x >> _7) & _FIRST_1)


@inline
def counterclockwise(x: Word) -> Word:
    return ((x & _ALL_BUT_1) >> U1) | ((x & _FIRST_1) << _7)


@inline
def spokes_of(rules: Words) -> Word:
    """Return the points with a spoke: the middles, and on a board with diagonals all points."""
    return BOARD if rules[U0] & DIAGONALS else MIDDLES


@inline
def inwards(x: Word, spokes: Word) -> Word:
    """Return the neighbours on spokes, one ring further in."""
    return ((x & spokes) << _8) & BOARD


@inline
def outwards(x: Word, spokes: Word) -> Word:
    return (x & spokes) >> _8


@inline
def completes_side_before(x: Word) -> Word:
    """Return the corners at the clockwise end of a side of a ring whose other two points hold men of `x`."""
    return CORNERS & clockwise(x) & (((x << U2) & _ALL_BUT_2) | ((x >> _6) & _FIRST_2))


@inline
def completes_side_behind(x: Word) -> Word:
    """Return the corners at the counterclockwise end of such a side."""
    return CORNERS & counterclockwise(x) & (((x & _ALL_BUT_2) >> U2) | ((x & _FIRST_2) << _6))


@inline
def completes_middle(x: Word) -> Word:
    """Return the middles whose two neighbouring corners hold men of `x`."""
    return MIDDLES & clockwise(x) & counterclockwise(x)


@inline
def completes_spoke(x: Word, spokes: Word) -> Word:
    """Return the points whose spoke has men of `x` on its two other points."""
    return spokes & BOARD & ((x << _8) | (x >> _16)) & ((x >> _8) | (x << _16))


@inline
def completes(x: Word, spokes: Word) -> Word:
    """Return the points where another man of `x` closes a mill, and the men of `x` that are in a mill."""
    return completes_side_before(x) | completes_side_behind(x) | completes_middle(x) | completes_spoke(x, spokes)


@inline
def mills(x: Word) -> Word:
    """Return the number of mills that are not on diagonals."""
    # Each side of a ring has one middle, and each spoke one point on the outer ring, so every mill counts once.
    return popcount(x & completes_middle(x)) + popcount(x & (x >> _8) & (x >> _16) & _OUTER_MIDDLES)


@inline
def slides(x: Word, free: Word) -> Word:
    """Return the number of steps from men of `x` to neighbouring points of `free`, without diagonals."""
    ring = popcount(clockwise(x) & free) + popcount(counterclockwise(x) & free)
    return ring + popcount(inwards(x, MIDDLES) & free) + popcount(outwards(x, MIDDLES) & free)


@inline
def removable(opp: Word, spokes: Word) -> Word:
    """Return the men that a mill of the other side may remove: those outside mills, or all if there are none."""
    outside = opp & ~completes(opp, spokes)
    return outside if outside != U0 else opp


@inline
def origin(to: Word, direction: int) -> Word:
    """Return the point from which a step in this direction leads to `to`."""
    if direction == CLOCKWISE:
        return (to & _RING) | ((to - U1) & _IN_RING)
    if direction == COUNTERCLOCKWISE:
        return (to & _RING) | ((to + U1) & _IN_RING)
    return to - np.uint64(8) if direction == INWARDS else to + np.uint64(8)


@inline
def _ended(start: Word, to: Word, closes: Word, prey: Word, moves: Words, n: Word) -> Word:
    """Write the moves from `start` to `to`: one, or one for each man in `prey` if the move closes a mill."""
    move = to | (start << FROM_SHIFT)
    if closes == U0 or prey == U0:
        moves[n] = move | NONE_REMOVED
        return n + U1
    while prey:
        moves[n] = move | (ctz(prey) << REMOVED_SHIFT)
        prey &= prey - U1
        n += U1
    return n


@inline
def _from(start: Word, targets: Word, closing: Word, prey: Word, moves: Words, n: Word) -> Word:
    while targets:
        to = ctz(targets)
        n = _ended(start, to, (closing >> to) & U1, prey, moves, n)
        targets &= targets - U1
    return n


@inline
def _steps(direction: int, targets: Word, closing: Word, prey: Word, moves: Words, n: Word) -> Word:
    while targets:
        to = ctz(targets)
        n = _ended(origin(to, direction), to, (closing >> to) & U1, prey, moves, n)
        targets &= targets - U1
    return n


@inline
def _slides(own: Word, free: Word, spokes: Word, prey: Word, moves: Words) -> Word:
    """Write the steps of all men, direction by direction. A man that moves along a line cannot close a mill on it."""
    spoke, before, behind = completes_spoke(own, spokes), completes_side_before(own), completes_side_behind(own)
    n = _steps(CLOCKWISE, clockwise(own) & free, behind | spoke, prey, moves, U0)
    n = _steps(COUNTERCLOCKWISE, counterclockwise(own) & free, before | spoke, prey, moves, n)
    closing = completes_middle(own) | before | behind
    n = _steps(INWARDS, inwards(own, spokes) & free, closing, prey, moves, n)
    return _steps(OUTWARDS, outwards(own, spokes) & free, closing, prey, moves, n)


@inline
def placements_left(s: Words) -> Word:
    """Return how many men both sides have in hand."""
    return (s[2] >> U1) & _LEFT


@inline
def hand(s: Words) -> Word:
    """Return how many men the side to move has in hand: (n + 1) // 2 of the n placements left, plus its lead."""
    lead = s[2] >> _LEAD_SHIFT  # the sum has the lead's sign bit, 8, twice if it is negative
    return ((placements_left(s) + U1) >> U1) + (lead ^ _8) - _8


@inline
def flies(rules: Words, s: Words) -> bool:
    """Return whether the men of the side to move may fly."""
    may: bool = rules[U0] & FLYING != U0 and popcount(s[0]) == _LEAST_MEN and hand(s) == U0
    return may


def gen(rules: Words, s: Words, moves: Words) -> Word:
    own, opp, in_hand = s[0], s[1], hand(s)
    # The rules end the game here, whatever moves there would be.
    if popcount(own) + in_hand < _LEAST_MEN:
        return U0
    free, spokes = BOARD & ~(own | opp), spokes_of(rules)
    prey = removable(opp, spokes)
    if in_hand != U0:
        n = _slides(own, free, spokes, prey, moves) if rules[U0] & LASKER else U0
        return _from(NOWHERE, free, completes(own, spokes), prey, moves, n)
    if not flies(rules, s):
        return _slides(own, free, spokes, prey, moves)
    n = U0
    starts = own
    while starts:
        start = starts & (U0 - starts)
        starts ^= start
        # The man that flies is not one of the two that it joins in a mill.
        n = _from(ctz(start), free, completes(own ^ start, spokes), prey, moves, n)
    return n


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    to, start, removed = m & POINT_MASK, (m >> FROM_SHIFT) & POINT_MASK, m >> REMOVED_SHIFT
    own, opp, rest = s[0], s[1], s[2]
    # NOWHERE is a bit outside the board, so placements and moves without a removal need no branch.
    child[0] = opp & ~(U1 << removed)
    child[1] = (own | (U1 << to)) & ~(U1 << start)
    if rules[U0] & LASKER:
        left, other = placements_left(s), placements_left(s) - hand(s)
        left -= U1 if start == NOWHERE else U0
        lead = (other - ((left + U1) >> U1)) & _LEAD
        rest = (left << U1) | (lead << _LEAD_SHIFT) | (rest & U1)
    elif start == NOWHERE:
        rest -= U2
    child[2] = rest ^ U1


def outcome(rules: Words, s: Words, n_moves: Word) -> int:
    """A side loses if it has fewer than three men, those in hand counted, or no legal move; a full board is a draw."""
    if n_moves != U0:
        return RUNNING
    if s[0] | s[1] == BOARD:
        return DRAW + 4 * FULL
    few = popcount(s[0]) + hand(s) < _LEAST_MEN
    return LOSS + 4 * (TOO_FEW if few else BLOCKED)


def irreversible(rules: Words, s: Words, m: Word) -> Word:
    """Placements and removals cannot be undone."""
    return U1 if (m >> FROM_SHIFT) & POINT_MASK == NOWHERE or m < NONE_REMOVED else U0


def retracts(rules: Words, before: Word, m: Word) -> Word:
    """A man returns to where it came from, and neither move removes a man."""
    back = ((before & POINT_MASK) << FROM_SHIFT) | ((before >> FROM_SHIFT) & POINT_MASK) | NONE_REMOVED
    return U1 if before >= NONE_REMOVED and m == back else U0


def noisy(rules: Words, s: Words, moves: Words, n: Word) -> Word:
    """Moves that remove a man."""
    found = U0
    for i in range(n):
        move = moves[i]
        if move < NONE_REMOVED:
            moves[i] = moves[found]
            moves[found] = move
            found += U1
    return found


_POINTS = np.uint64(POINTS)
_SLIDES = _POINTS
_FLIGHTS = _SLIDES + U4 * _POINTS
_TAKES = _FLIGHTS + U3 * _POINTS


@inline
def _direction(start: Word, to: Word) -> Word:
    """Return 0 for a step clockwise, 1 counterclockwise, 2 inwards, 3 outwards."""
    if start >> U3 == to >> U3:
        return U0 if (start + U1) & _7 == to & _7 else U1
    return U2 if to > start else U3


def index(data: Words, s: Words, m: Word) -> Word:
    """Return the index of a move.

    | indices    | move                                                                               |
    |------------|------------------------------------------------------------------------------------|
    | 0 to 23    | a man is placed on this point                                                      |
    | 24 to 119  | a man slides: 4 for each point that it leaves, one for each direction              |
    | 120 to 191 | a man flies: 24 points for each of the three men, which are counted by their bits  |
    | 192 to 383 | a mill is closed and takes a man: 8 for each of the 24 points on which that stands |

    The moves that close a mill and take the same man have successive indices; there are seldom more than three of them.
    """
    to, start = m & POINT_MASK, (m >> FROM_SHIFT) & POINT_MASK
    if m < NONE_REMOVED:
        return _TAKES + _8 * (m >> REMOVED_SHIFT)
    if start == NOWHERE:
        return to
    if flies(data, s):
        return _FLIGHTS + _POINTS * popcount(s[0] & ((U1 << start) - U1)) + to
    return _SLIDES + U4 * start + _direction(start, to)


def rules_data(flying: bool, diagonals: bool, lasker: bool) -> WordArray:
    """Return the data of the rules.

    flying: whether three men may fly; diagonals: whether the board has them; lasker: whether men may move while there
    are men in hand.
    """
    return np.array([int(FLYING) * flying + int(DIAGONALS) * diagonals + int(LASKER) * lasker], np.uint64)


def most_moves(men: int, diagonals: bool, lasker: bool) -> int:
    """Return an upper bound of the number of moves."""
    if lasker:
        return MAX_MOVES_OF_LASKER
    return MAX_MOVES_OF_12 if diagonals or men > MOST_MEN else MAX_MOVES


def move_indices(data: WordArray) -> MoveIndices:
    """Return the indices of moves under rules with these data."""
    return MoveIndices(size=int(_TAKES + _8 * _POINTS), index=index, data=data)
