"""The board as bits, and the moves of Othello: the functions for the kernel, and the indices of moves.

Square a1 is bit 0, b1 bit 1, a2 bit 8, h8 bit 63; row 1 is the top row. A state is three words: discs of the side to
move, discs of the other side, and 1 if White is to move. Black moves first.

A move is the number of the square, or PASS; a side passes if and only if it cannot place a disc and the other side can.
Data: the rays of all squares, then the komi + 64.

Placements are found by a parallel prefix (Kogge and Stone): all runs of the opponent's discs that begin next to an own
disc grow along one direction at once, to 1, 2, 4 and 6 squares. Flips are found along the eight rays of a square.
Towards higher bits, 1 is added to a word in which the opponent's discs, and all squares outside the ray, are set: the
carry runs over these discs to the first square without one. Towards lower bits, the number of leading zeros finds that
square.
"""

import functools

import numpy as np

from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, MoveIndices, State
from gameforge.kernel import U0, U1, U2, U3, U4, Word, Words, bits, ctz, inline, popcount

_5, _6, _7 = (np.uint64(n) for n in (5, 6, 7))

SQUARES = 64
PASS = 64
"""The move of a side that can only pass; every other move is the number of its square."""
NAMES = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")
"""NAMES[bit]: name of the square."""
STATE_WORDS = 3

BLACK, WHITE = 0, 1
SIDES = ("Black", "White")
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)
"""Columns b to g."""


def mask(*names: str) -> int:
    """Return the word with the bits of these squares."""
    return sum(1 << NAMES.index(name) for name in names)


CENTRE = mask("d4", "e4", "d5", "e5")
START: State = mask("e4", "d5"), mask("d4", "e5"), BLACK


def to_move(state: State) -> int:
    """Return the side to move, BLACK or WHITE."""
    return state[2]


def discs(state: State) -> tuple[int, int]:
    """Return (Black's discs, White's discs) as words."""
    own, opp, side = state
    return (opp, own) if side else (own, opp)


def state_of(black: int, white: int, side: int) -> State:
    """Return the state with these discs and `side` to move."""
    return (white, black, WHITE) if side else (black, white, BLACK)


def final_counts(state: State) -> tuple[int, int]:
    """Return (Black's, White's) discs at the end of a game; empty squares go to the winner, or half to each side."""
    black, white = (word.bit_count() for word in discs(state))
    free = SQUARES - black - white
    if black == white:
        return black + free // 2, white + free // 2
    return (black + free, white) if black > white else (black, white + free)


def winner_by(black: int, white: int, komi: int) -> int | None:
    """Return the winner with these discs, BLACK or WHITE; None for a draw."""
    lead = black - white - komi
    return None if lead == 0 else BLACK if lead > 0 else WHITE


_TOP = np.uint64(1 << 63)
_ROWS, _COLUMNS, _FALLING, _RISING = (np.uint64(step) for step in (1, 8, 9, 7))
"""Steps, in bits, from a square to the next one of its row, column and diagonals."""
RAY_WORDS = 8 * SQUARES


@functools.cache
def rays() -> tuple[int, ...]:
    """Return eight words per square: rays to the east, south, south-east and south-west, then their opposites.

    A ray holds the squares from the next one to the edge. The first four rays lead towards higher bits.
    """
    words = []
    for square in range(SQUARES):
        row, column = divmod(square, 8)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)):
            ray, r, c = 0, row + down, column + right
            while 0 <= r < 8 and 0 <= c < 8:
                ray |= 1 << (8 * r + c)
                r, c = r + down, c + right
            words.append(ray)
    return tuple(words)


@inline
def _beyond_runs(own: Word, between: Word, step: Word) -> Word:
    """Return the squares after runs of `between` that begin next to an own disc, in both directions of a line."""
    double = step + step
    up = between & (own << step)
    down = between & (own >> step)
    up |= between & (up << step)
    down |= between & (down >> step)
    # A pair of discs that could be flipped continues a run by two squares at once. No run has more than six discs.
    pairs_up = between & (between << step)
    pairs_down = between & (between >> step)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    return (up << step) | (down >> step)


@inline
def placements(own: Word, opp: Word) -> Word:
    """Return the free squares on which a disc of `own` flips at least one of `opp`."""
    inner = opp & INNER_COLUMNS  # so that runs do not wrap around the edge
    found = (
        _beyond_runs(own, inner, _ROWS)
        | _beyond_runs(own, opp, _COLUMNS)
        | _beyond_runs(own, inner, _FALLING)
        | _beyond_runs(own, inner, _RISING)
    )
    return found & ~(own | opp)


@inline
def _towards_higher(own: Word, opp: Word, ray: Word) -> Word:
    # The carry stops at the first square of the ray without an opponent's disc; it counts if an own disc is there.
    end = ((opp | ~ray) + U1) & own & ray
    # All bits below the end; none if there is no end.
    return (end - np.uint64(end != U0)) & ray


@inline
def _towards_lower(own: Word, opp: Word, ray: Word) -> Word:
    # `| U1`, as clz is undefined for 0; `& own & ray` rejects bit 0 unless it is the end.
    end = (_TOP >> bits.clz((ray & ~opp) | U1)) & own & ray
    # All bits above the end; none if there is no end, as 0 - 0 is 0.
    return (U0 - (end + end)) & ray


@inline
def flips(rays: Words, own: Word, opp: Word, square: Word) -> Word:
    """Return the discs of `opp` that a disc of `own` on a free square flips; `rays` holds the words of `rays()`."""
    i = square << U3
    return (
        _towards_higher(own, opp, rays[i])
        | _towards_higher(own, opp, rays[i + U1])
        | _towards_higher(own, opp, rays[i + U2])
        | _towards_higher(own, opp, rays[i + U3])
        | _towards_lower(own, opp, rays[i + U4])
        | _towards_lower(own, opp, rays[i + _5])
        | _towards_lower(own, opp, rays[i + _6])
        | _towards_lower(own, opp, rays[i + _7])
    )


_PASS = np.uint64(PASS)
KOMI = np.uint64(RAY_WORDS)
"""Index of the komi + 64 in the data block."""
CORNERS = np.uint64(mask("a1", "h1", "a8", "h8"))
MAX_MOVES = 60
"""All squares except the four in the centre."""
MAX_PLIES = 120
"""An upper bound: at most 60 discs are placed, with at most one pass before each."""


def rules_block(komi: int) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Make the data block of the functions below."""
    return np.array([*rays(), komi + SQUARES], np.uint64)


def gen(rules: Words, s: Words, moves: Words) -> Word:
    own, opp = s[0], s[1]
    places = placements(own, opp)
    if places == U0:
        if placements(opp, own) == U0:
            return U0
        moves[U0] = _PASS
        return U1
    n = U0
    while places:
        moves[n] = ctz(places)
        places &= places - U1
        n += U1
    return n


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    own, opp = s[0], s[1]
    child[2] = s[2] ^ U1
    if m == _PASS:
        child[0], child[1] = opp, own
    else:
        flipped = flips(rules, own, opp, m)
        child[0] = opp ^ flipped
        child[1] = own | flipped | (U1 << m)


@inline
def lead(own: Word, opp: Word) -> np.int64:
    """Return own discs minus the opponent's at the end of a game; empty squares go to the winner."""
    ours, theirs = np.int64(popcount(own)), np.int64(popcount(opp))
    if ours == theirs:
        return ours - theirs
    free = np.int64(SQUARES) - ours - theirs
    return ours - theirs + (free if ours > theirs else -free)


def outcome(rules: Words, s: Words, n_moves: Word) -> int:
    """If neither side can move, the side with more discs wins, with the komi added to White's (reason 0)."""
    if n_moves != U0:
        return RUNNING
    komi = np.int64(rules[KOMI]) - np.int64(SQUARES)
    ahead = lead(s[0], s[1]) + (komi if s[2] != U0 else -komi)
    if ahead == 0:
        return DRAW
    return WIN if ahead > 0 else LOSS


def noisy(rules: Words, s: Words, moves: Words, n: Word) -> Word:
    """Passes, which are forced, and placements in corners, which static scores do not foresee.

    There are four corners, and a pass never follows a pass, so a line of noisy moves comes to an end.
    """
    if moves[U0] == _PASS and n != U0:
        return U1
    found = U0
    for i in range(n):
        move = moves[i]
        if (CORNERS >> move) & U1 != U0:
            moves[i] = moves[found]
            moves[found] = move
            found += U1
    return found


def irreversible(rules: Words, s: Words, m: Word) -> Word:
    """Every move is irreversible: discs never leave the board, and one is placed after a pass."""
    return U1


def index(data: Words, s: Words, m: Word) -> Word:
    """Return the index of a move: the square of the disc, or PASS after the last square."""
    return m


MOVES = MoveIndices(size=SQUARES + 1, index=index)
