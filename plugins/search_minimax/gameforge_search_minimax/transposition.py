"""The transposition table: results of earlier visits of a position, in memory of a fixed size.

The block has a header, which begins with the number of the search and the oldest number that is still read, followed by
the entries, four in a bucket. An entry is two words: its data, and the position's key XOR the data, so that an entry
written by two threads at once matches no position [Hyatt2002]. The data are, from the highest bit on, the score as
float32, the index of the best move among those that the rules generate (12 bits), the kind of bound (2), the depth (6)
and the number of the search (12).

A new entry replaces, in the position's bucket, the entry of the same position; else one that is no longer read; else
one of an earlier search; else the one with the least depth, the first of equals. An exact search never reads entries of
earlier searches, so it does not depend on them. A selective search reads those of the same game. The table is cleared
only once in 4095 searches, when the numbers start again.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax.hashing import SCATTER

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
UPPER, LOWER, EXACT = np.uint64(1), np.uint64(2), np.uint64(3)
"""Kinds of bounds: whether a stored score is an upper or lower bound of the true one, or exact."""
NO_MOVE = np.uint64(4095)
SEARCH, OLDEST, GAME_PLIES, GAME_MOVES, GAME_START, GAME_RESULT = (np.uint64(n) for n in range(6))
"""Indices in the header; game_memory.py uses those of the game."""
HEADER_WORDS = np.uint64(8)
BUCKET_WORDS = np.uint64(8)
BUCKET_BYTES = 64
_SCORE_SHIFT, _INDEX_SHIFT, _BOUND_SHIFT, _DEPTH_SHIFT = (np.uint64(n) for n in (32, 20, 18, 12))
_INDEX_MASK, _BOUND_MASK, _DEPTH_MASK, _SEARCH_MASK = (np.uint64(n) for n in (4095, 3, 63, 4095))
_CURRENT = np.uint64(64)
_64 = np.uint64(64)


@inline
def next_search(memory: Any, same_game: Any) -> None:
    """Begin a search: entries of earlier searches are no longer read, unless they are of the same game."""
    number = memory[SEARCH] + _1
    if number > _SEARCH_MASK:
        for i in range(HEADER_WORDS, np.uint64(len(memory))):
            memory[i] = _0
        number = _1
    memory[SEARCH] = number
    if not same_game or number == _1:
        memory[OLDEST] = number


@inline
def _bucket(key: Any, bits: Any) -> Any:
    """Index of the bucket's first word; there are 1 << bits buckets."""
    return HEADER_WORDS + ((key * SCATTER) >> (_64 - bits)) * BUCKET_WORDS


@inline
def end_of(bits: Any) -> Any:
    """Index of the first word after the table."""
    return HEADER_WORDS + (BUCKET_WORDS << bits)


@inline
def find(memory: Any, bits: Any, key: Any) -> Any:
    """Data of the position's entry, 0 if there is none."""
    slot = _bucket(key, bits)
    oldest = memory[OLDEST]
    for i in range(4):
        entry = slot + _2 * np.uint64(i)
        data = memory[entry]
        if memory[entry + _1] ^ data == key and data & _SEARCH_MASK >= oldest:
            return data
    return _0


@inline
def keep(memory: Any, bits: Any, key: Any, score: Any, bound: Any, depth: Any, index: Any) -> Any:
    """Store a result. If there is no best move (NO_MOVE), that of the position's old entry is kept."""
    slot = _bucket(key, bits)
    search, oldest = memory[SEARCH], memory[OLDEST]
    chosen, least = slot, ~_0
    for i in range(4):
        entry = slot + _2 * np.uint64(i)
        data = memory[entry]
        worth = _0
        if data & _SEARCH_MASK >= oldest:
            if memory[entry + _1] ^ data == key:
                chosen = entry
                if index == NO_MOVE:
                    index = index_of(data)
                break
            worth = _1 + depth_of(data)
            if data & _SEARCH_MASK == search:
                worth += _CURRENT
        if worth < least:
            chosen, least = entry, worth
    data = with_score(score) | (index << _INDEX_SHIFT) | (bound << _BOUND_SHIFT) | (depth << _DEPTH_SHIFT) | search
    memory[chosen], memory[chosen + _1] = data, key ^ data


@inline
def with_score(score: Any) -> Any:
    """Data that hold only a score."""
    return np.uint64(np.float32(score).view(np.uint32)) << _SCORE_SHIFT


@inline
def score_of(data: Any) -> Any:
    """The score of an entry."""
    return np.float64(np.uint32(data >> _SCORE_SHIFT).view(np.float32))


@inline
def index_of(data: Any) -> Any:
    """The index of an entry's best move, or NO_MOVE."""
    return (data >> _INDEX_SHIFT) & _INDEX_MASK


@inline
def bound_of(data: Any) -> Any:
    """The kind of bound of an entry: UPPER, LOWER or EXACT."""
    return (data >> _BOUND_SHIFT) & _BOUND_MASK


@inline
def depth_of(data: Any) -> Any:
    """The depth of an entry, in plies."""
    return (data >> _DEPTH_SHIFT) & _DEPTH_MASK


@inline
def index_of_known(memory: Any, bits: Any, key: Any) -> Any:
    """The index of a position's best move, or NO_MOVE if the table has none."""
    entry = find(memory, bits, key)
    return NO_MOVE if entry == _0 else index_of(entry)
