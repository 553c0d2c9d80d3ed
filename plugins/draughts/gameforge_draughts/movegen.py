"""The board as bits, and the moves of English draughts: the functions for the kernel, and the indices of moves.

The squares 1 to 32 (PDN numbers) are the bits 0 to 34 without 8, 17 and 26: a gap after every second row makes each
diagonal step the same shift everywhere, 4 or 5 bits, as in Samuel's program [Samuel1959] and in XBOARD [Lynch1997].
Black (squares 1-12) moves first, towards higher numbers. A state is three words: pieces of the side to move, pieces of
the other side, kings of both with bit 63 set if White is to move.

A move is one complete turn in one word: from (6 bits), to (6 bits), captured pieces (27 bits, since the inner squares
are bits 4 to 30), route (2 bits per jump). Two routes that capture the same pieces are two moves. The rules are those
of the WCDF: captures are compulsory with free choice, a man that reaches the far row ends its move there, and kings
step one square (see the README of this plugin).
"""

import numpy as np

from gameforge.interfaces import LOSS, RUNNING, MoveIndices, State
from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, ctz, inline

_5, _6, _8, _9, _10, _31, _32 = (np.uint64(n) for n in (5, 6, 8, 9, 10, 31, 32))

SQUARES = 32
BIT_OF = tuple(s + s // 8 for s in range(SQUARES))
"""BIT_OF[n]: bit of square n + 1."""
SQUARE_OF = tuple(bit - bit // 9 + 1 if bit % 9 != 8 else 0 for bit in range(35))
"""SQUARE_OF[bit]: square 1 to 32, or 0 for a gap."""


def mask(*squares: int) -> np.uint64:
    """Return the word with the bits of these squares (1 to 32)."""
    return np.uint64(sum(1 << BIT_OF[square - 1] for square in squares))


BOARD = mask(*range(1, 33))
TOP_ROW = mask(29, 30, 31, 32)
BOTTOM_ROW = mask(1, 2, 3, 4)
WHITE_TO_MOVE = np.uint64(1 << 63)
STATE_WORDS = 3
LAST_BIT = 34

BLACK, WHITE = 0, 1
SIDES = ("Black", "White")
MEN = 12
"""Number of pieces with which each side starts, and the maximum."""
START: State = int(mask(*range(1, 13))), int(mask(*range(21, 33))), 0


def to_move(state: State) -> int:
    """Return the side to move, BLACK or WHITE."""
    return state[2] >> 63


def pieces(state: State) -> dict[int, tuple[int, bool]]:
    """Map occupied squares, in ascending order, to (BLACK or WHITE, whether the piece is a king)."""
    own, opp, kings = state
    side = to_move(state)
    found = {}
    for square, bit in enumerate(BIT_OF, start=1):
        if (own | opp) >> bit & 1:
            found[square] = (side if own >> bit & 1 else 1 - side, bool(kings >> bit & 1))
    return found


def state_of(side: int, placed: dict[int, tuple[int, bool]]) -> State:
    """Return the state with these pieces, in the form of `pieces`, and `side` to move."""
    words = [0, 0, side << 63]
    for square, (colour, is_king) in placed.items():
        bit = 1 << BIT_OF[square - 1]
        words[colour ^ side] |= bit
        words[2] |= bit if is_king else 0
    return tuple(words)


TO_SHIFT, CAPTURED_SHIFT, ROUTE_SHIFT = np.uint64(6), np.uint64(12), np.uint64(39)
BIT_MASK, CAPTURED_MASK = np.uint64(63), np.uint64((1 << 27) - 1)
LOWEST_INNER = np.uint64(4)
_ROUTE_STEP = np.uint64(2)

MAX_MOVES = 256
"""An upper bound: a piece has at most 16, 14 or 9 routes, depending on its square; 12 pieces have at most 184."""
UP_RIGHT, UP_LEFT, DOWN_RIGHT, DOWN_LEFT = range(4)
"""Directions of a route: +4, +5, -4, -5 bits."""


@inline
def jumpers(own: Word, opp: Word, kings: Word, white: Word) -> Word:
    """Return the own pieces that can capture."""
    empty = BOARD & ~(own | opp)
    up = ((opp >> U4) & (empty >> _8)) | ((opp >> _5) & (empty >> _10))
    down = ((opp << U4) & (empty << _8)) | ((opp << _5) & (empty << _10))
    if white:
        return own & (down | (up & kings))
    return own & (up | (down & kings))


@inline
def jump_targets(bit: Word, direction: Word) -> tuple[Word, Word]:
    """Return (piece jumped over, square landed on) of a jump from `bit`."""
    step = U4 + (direction & U1)
    if direction < U2:
        return bit << step, bit << (step + step)
    return bit >> step, bit >> (step + step)


@inline
def captures(own: Word, opp: Word, kings: Word, white: Word, starts: Word, moves: Words) -> Word:
    """Write all complete captures of the pieces in `starts`; return their number.

    This is a depth-first search whose stack is the route itself: going back removes its last two bits.
    """
    n = U0
    empty = BOARD & ~(own | opp)
    far_row = BOTTOM_ROW if white else TOP_ROW
    while starts:
        start = starts & (U0 - starts)
        starts ^= start
        is_king = (kings & start) != U0
        # Directions 0 and 1 lead up, 2 and 3 down; a man tries two of them.
        first = U0 if is_king or not white else U2
        last = U3 if is_king or white else U1
        # The piece has left its square, so a route may lead over it or end there.
        free = empty | start
        here, captured, route, jumps, direction = start, U0, U0, U0, first
        at_end = False
        while True:
            while direction <= last:
                over, to = jump_targets(here, direction)
                # Captured pieces stay on the board until the move ends, but none is jumped twice.
                if (over & opp & ~captured) != U0 and (to & free) != U0:
                    break
                direction += U1
            if direction <= last:
                route |= direction << (jumps * _ROUTE_STEP)
                jumps += U1
                captured |= over
                here = to
                at_end = True
                # A man that is crowned ends its move, whatever it could still capture.
                crowned = not is_king and (to & far_row) != U0
                direction = last + U1 if crowned else first
                continue
            # A route is a move only if no jump continues it; after going back it is a part of a longer one.
            if at_end:
                moves[n] = (
                    ctz(start)
                    | (ctz(here) << TO_SHIFT)
                    | ((captured >> LOWEST_INNER) << CAPTURED_SHIFT)
                    | (route << ROUTE_SHIFT)
                )
                n += U1
                at_end = False
            if jumps == U0:
                break
            jumps -= U1
            taken = (route >> (jumps * _ROUTE_STEP)) & U3
            route ^= taken << (jumps * _ROUTE_STEP)
            # The opposite direction leads over the same piece to the square before the jump.
            over, here = jump_targets(here, taken ^ U2)
            captured ^= over
            direction = taken + U1
    return n


def gen(rules: Words, s: Words, moves: Words) -> Word:
    own, opp, white = s[0], s[1], s[2] >> np.uint64(63)
    kings = s[2] & own
    starts = jumpers(own, opp, kings, white)
    if starts:
        return captures(own, opp, kings, white, starts, moves)
    empty = BOARD & ~(own | opp)
    climbers = kings if white else own
    sinkers = own if white else kings
    # Both directions in one word, by the lower square of each step: one loop has one end to predict, not two.
    up = (climbers & (empty >> U4)) | ((climbers & (empty >> _5)) << _32)
    down = ((sinkers >> U4) & empty) | (((sinkers >> _5) & empty) << _32)
    n = U0
    while up:
        step = ctz(up)
        up &= up - U1
        start = step & _31
        moves[n] = start | ((start + U4 + (step >> _5)) << TO_SHIFT)
        n += U1
    while down:
        step = ctz(down)
        down &= down - U1
        to = step & _31
        moves[n] = (to + U4 + (step >> _5)) | (to << TO_SHIFT)
        n += U1
    return n


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    start = U1 << (m & BIT_MASK)
    end = U1 << ((m >> TO_SHIFT) & BIT_MASK)
    captured = ((m >> CAPTURED_SHIFT) & CAPTURED_MASK) << LOWEST_INNER
    own, opp, kings = s[0], s[1], s[2]
    far_row = BOTTOM_ROW if kings & WHITE_TO_MOVE else TOP_ROW
    crowned = end & far_row if (kings & start) == U0 else end
    child[0] = opp & ~captured
    child[1] = (own & ~start) | end
    child[2] = ((kings & ~(captured | start)) | crowned) ^ WHITE_TO_MOVE


def outcome(rules: Words, s: Words, n_moves: Word) -> int:
    """A side that cannot move, with or without pieces, loses (reason 0)."""
    return LOSS if n_moves == 0 else RUNNING


def ended(rules: Words, s: Words) -> int:
    own, opp, white = s[0], s[1], s[2] >> np.uint64(63)
    kings = s[2] & own
    empty = BOARD & ~(own | opp)
    climbers = kings if white else own
    sinkers = own if white else kings
    steps = ((climbers << U4) | (climbers << _5) | (sinkers >> U4) | (sinkers >> _5)) & empty
    return RUNNING if steps | jumpers(own, opp, kings, white) else LOSS


def irreversible(rules: Words, s: Words, m: Word) -> Word:
    """Captures and moves of men cannot be undone."""
    is_capture = (m >> CAPTURED_SHIFT) & CAPTURED_MASK
    is_king = s[2] & (U1 << (m & BIT_MASK))
    return U1 if is_capture or not is_king else U0


def noisy(rules: Words, s: Words, moves: Words, n: Word) -> Word:
    """Captures; since they are compulsory, either all moves are noisy or none is."""
    return n if n != U0 and moves[0] >= (U1 << CAPTURED_SHIFT) else U0


def retracts(rules: Words, before: Word, m: Word) -> Word:
    """A king steps back to where it came from, and neither move captures."""
    squares = (before >> TO_SHIFT) | ((before & BIT_MASK) << TO_SHIFT)
    return U1 if before < (U1 << CAPTURED_SHIFT) and squares == m else U0


_LAST = np.uint64(LAST_BIT)
_UP_RIGHT, _UP_LEFT, _DOWN_RIGHT, _DOWN_LEFT = (
    np.uint64(direction) for direction in (UP_RIGHT, UP_LEFT, DOWN_RIGHT, DOWN_LEFT)
)
_ROUTES = U2
"""Indices for each square and direction."""


@inline
def _direction(m: Word) -> Word:
    """Return the direction of a step, or of the first jump of a capture."""
    if m >> CAPTURED_SHIFT != U0:
        return (m >> ROUTE_SHIFT) & U3
    start, to = m & BIT_MASK, (m >> TO_SHIFT) & BIT_MASK
    if to > start:
        return _UP_RIGHT if to - start == U4 else _UP_LEFT
    return _DOWN_RIGHT if start - to == U4 else _DOWN_LEFT


def index(data: Words, s: Words, m: Word) -> Word:
    """Return the index of a move: the square that the piece leaves and the direction of its step or first jump.

    Each pair of them has two indices, since a capture may go on along several routes. Further routes, which are rare,
    take the next free index. Squares and directions are seen from the side to move, as in `cells`.
    """
    start, direction = m & BIT_MASK, _direction(m)
    if s[2] & WHITE_TO_MOVE != U0:
        start, direction = _LAST - start, direction ^ U2
    square = start - start // _9
    return _ROUTES * (U4 * square + direction)


MOVES = MoveIndices(size=int(_ROUTES) * 4 * SQUARES, index=index)
