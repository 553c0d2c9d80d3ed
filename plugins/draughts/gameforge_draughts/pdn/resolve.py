"""Resolution of written moves in a kernel, which generates the legal moves and compares them with the text.

A written move is one word: the number of squares that it names (4 bits), then the bit of each square (6 bits each, at
most 10). The word of a text with more squares names only one, which fits no move. Moves that the kernel does not
understand are left to `notation.parse_move`, which explains the error.
"""

import functools
import re
from typing import Any

import numpy as np

from gameforge.kernel.bits import at, popcount
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import Words
from gameforge_draughts import movegen
from gameforge_draughts.board import BIT_OF, SQUARES, STATE_WORDS
from gameforge_draughts.movegen import BIT_MASK, CAPTURED_MASK, CAPTURED_SHIFT, ROUTE_SHIFT, TO_SHIFT, jump_targets

_0, _1, _2, _3 = (np.uint64(n) for n in range(4))
_COUNT_BITS, _SQUARE_BITS = np.uint64(4), np.uint64(6)
_COUNT = np.uint64(15)
_MOST_SQUARES = 10
_WORDS = np.uint64(STATE_WORDS)
_NONE, _LED_ALONG, _WHOLE = np.uint64(0), np.uint64(1), np.uint64(2)

_gen, _play = inline(movegen.gen), inline(movegen.play)


@functools.lru_cache(maxsize=1 << 16)
def written_move(text: str) -> int:
    """Return the word of a text such as `22x15x8`; 0 if it names a square that the board does not have."""
    squares = [int(square) for square in re.findall("[0-9]+", text)]
    if not all(1 <= square <= SQUARES for square in squares):
        return 0
    if len(squares) > _MOST_SQUARES:
        return 1
    word = len(squares)
    for i, square in enumerate(squares):
        word |= BIT_OF[square - 1] << (4 + 6 * i)
    return word


@inline
def _square(written: Any, i: Any) -> Any:
    return (written >> (_COUNT_BITS + i * _SQUARE_BITS)) & BIT_MASK


@inline
def _fit(m: Any, written: Any) -> Any:
    """Compare a move with a written one: _WHOLE path, _LED_ALONG its ends and some squares in order, or _NONE."""
    count = written & _COUNT
    here = m & BIT_MASK
    if here != _square(written, _0) or ((m >> TO_SHIFT) & BIT_MASK) != _square(written, count - _1):
        return _NONE
    captured = (m >> CAPTURED_SHIFT) & CAPTURED_MASK
    jumps = popcount(captured)
    i, route, place = _1, m >> ROUTE_SHIFT, _1 << here
    for _ in range(np.int64(jumps) - 1):
        place = jump_targets(place, route & _3)[1]
        route >>= _2
        if i < count - _1 and place == _1 << _square(written, i):
            i += _1
    if i < count - _1:
        return _NONE
    return _WHOLE if captured == _0 or jumps + _1 == count else _LED_ALONG


@inline
def _meant(written: Any, moves: Any, n: Any) -> Any:
    """Return the move that is meant, the first if several differ only in the route; 0 if none fits or it is unclear."""
    found, clear = _0, True
    if (written & _COUNT) < _2:
        return _0
    for i in range(n):
        m = moves[i]
        fit = _fit(m, written)
        if fit == _WHOLE:
            return m
        if fit == _LED_ALONG:
            if found == _0:
                found = m
            elif ((found ^ m) >> CAPTURED_SHIFT) & CAPTURED_MASK:
                clear = False
    return found if clear else _0


@kernel
def resolve(states: Words, written: Words, moves: Words, played: Words) -> np.int64:
    """Play written moves from states[0:3] until one is not understood; return the number of moves played.

    Writes the moves to `played` and the state after them to states[0:3]; `moves` is workspace.
    """
    here, child = at(states, _0), at(states, _WORDS)
    for i in range(len(written)):
        n = _gen(here, here, at(moves, _0))
        m = _meant(written[i], moves, n)
        if m == _0:
            return np.int64(i)
        played[i] = m
        _play(here, here, m, child)
        for word in range(STATE_WORDS):
            states[word] = child[word]
    return np.int64(len(written))
