"""Moves of Othello: the functions for the kernel.

A move is the number of the square, or PASS; a side passes if and only if it cannot place a disc and
the other side can. Data: the rays of all squares (flips.py), then the komi + 64.
"""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, LOSS, RUNNING, WIN
from gameforge.kernel.bits import ctz, popcount
from gameforge.kernel.compile.jit import inline
from gameforge_othello import board
from gameforge_othello.flips import RAY_WORDS, flips, placements, rays

_0, _1 = np.uint64(0), np.uint64(1)
_PASS = np.uint64(board.PASS)
KOMI = np.uint64(RAY_WORDS)
"""Index of the komi + 64 in the data block."""
CORNERS = np.uint64(board.mask("a1", "h1", "a8", "h8"))
MAX_MOVES = 60
"""All squares except the four in the centre."""
MAX_PLIES = 120
"""An upper bound: at most 60 discs are placed, with at most one pass before each."""


def rules_block(komi: int) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Make the data block of the functions below."""
    return np.array([*rays(), komi + board.SQUARES], np.uint64)


def gen(rules: Any, s: Any, moves: Any) -> Any:
    own, opp = s[0], s[1]
    places = placements(own, opp)
    if places == _0:
        if placements(opp, own) == _0:
            return _0
        moves[_0] = _PASS
        return _1
    n = _0
    while places:
        moves[n] = ctz(places)
        places &= places - _1
        n += _1
    return n


def play(rules: Any, s: Any, m: Any, child: Any) -> Any:
    own, opp = s[0], s[1]
    child[2] = s[2] ^ _1
    if m == _PASS:
        child[0], child[1] = opp, own
    else:
        flipped = flips(rules, own, opp, m)
        child[0] = opp ^ flipped
        child[1] = own | flipped | (_1 << m)


@inline
def lead(own: Any, opp: Any) -> Any:
    """Return own discs minus the opponent's at the end of a game; empty squares go to the winner."""
    ours, theirs = np.int64(popcount(own)), np.int64(popcount(opp))
    if ours == theirs:
        return ours - theirs
    free = np.int64(board.SQUARES) - ours - theirs
    return ours - theirs + (free if ours > theirs else -free)


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    """If neither side can move, the side with more discs wins, with the komi added to White's (reason 0)."""
    if n_moves != _0:
        return RUNNING
    komi = np.int64(rules[KOMI]) - np.int64(board.SQUARES)
    ahead = lead(s[0], s[1]) + (komi if s[2] != _0 else -komi)
    if ahead == 0:
        return DRAW
    return WIN if ahead > 0 else LOSS


def noisy(rules: Any, s: Any, moves: Any, n: Any) -> Any:
    """Passes, which are forced, and placements in corners, which static scores do not foresee.

    There are four corners, and a pass never follows a pass, so a line of noisy moves comes to an end.
    """
    if moves[_0] == _PASS and n != _0:
        return _1
    found = _0
    for i in range(n):
        move = moves[i]
        if (CORNERS >> move) & _1 != _0:
            moves[i] = moves[found]
            moves[found] = move
            found += _1
    return found


def irreversible(rules: Any, s: Any, m: Any) -> Any:
    """Every move is irreversible: discs never leave the board, and one is placed after a pass."""
    return _1
