"""The transposition table: what earlier visits of a position found, in memory of a fixed size.

The block: one word for the number of the search, then the entries, four in a bucket. An entry is
two words: data, and the position's key XOR data, so that an entry torn by two threads that write
it at once belongs to no position (Hyatt and Mann, "A lock-less transposition table
implementation for parallel search", 2002). Data: the score as float32, then from the highest bit
on the index of the best move among those that the rules generate (12 bits), the kind of bound (2),
the depth (6) and the number of the search (12).

A new entry replaces, in the position's bucket, the entry of the same position; else one of an earlier
search; else the one of least depth, the first of equals. Entries of earlier searches are never
read: a search finds the same whatever was searched before it, and nothing has to be cleared but
once in 4095 searches, when the numbers begin again.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
UPPER, LOWER, EXACT = np.uint64(1), np.uint64(2), np.uint64(3)
"""What a stored score is to the true one: a bound or the score itself."""
NO_MOVE = np.uint64(4095)
BUCKET_WORDS = np.uint64(8)
BUCKET_BYTES = 64
_SCATTER = np.uint64(0x9E3779B97F4A7C15)
_SCORE_SHIFT, _INDEX_SHIFT, _BOUND_SHIFT, _DEPTH_SHIFT = (np.uint64(n) for n in (32, 20, 18, 12))
_INDEX_MASK, _BOUND_MASK, _DEPTH_MASK, _SEARCH_MASK = (np.uint64(n) for n in (4095, 3, 63, 4095))
_OLD = np.uint64(64)
_64 = np.uint64(64)


@inline
def next_search(memory: Any) -> Any:
    """Begin a search: entries of earlier searches are no longer read."""
    number = memory[_0] + _1
    if number > _SEARCH_MASK:
        for i in range(np.uint64(len(memory))):
            memory[i] = _0
        number = _1
    memory[_0] = number


@inline
def _bucket(key: Any, bits: Any) -> Any:
    """Index of the bucket's first word; there are 1 << bits buckets."""
    return _1 + ((key * _SCATTER) >> (_64 - bits)) * BUCKET_WORDS


@inline
def find(memory: Any, bits: Any, key: Any) -> Any:
    """Data of the position's entry, 0 if there is none."""
    slot = _bucket(key, bits)
    search = memory[_0]
    for i in range(4):
        here = slot + _2 * np.uint64(i)
        data = memory[here]
        if memory[here + _1] ^ data == key and data & _SEARCH_MASK == search:
            return data
    return _0


@inline
def keep(memory: Any, bits: Any, key: Any, score: Any, bound: Any, depth: Any, index: Any) -> Any:
    """Write an entry; without a move (NO_MOVE) that of the position's old entry stays."""
    slot = _bucket(key, bits)
    search = memory[_0]
    chosen, least = slot, _1 + _OLD
    for i in range(4):
        here = slot + _2 * np.uint64(i)
        data = memory[here]
        worth = _0
        if data & _SEARCH_MASK == search:
            if memory[here + _1] ^ data == key:
                chosen = here
                if index == NO_MOVE:
                    index = index_of(data)
                break
            worth = _1 + depth_of(data)
        if worth < least:
            chosen, least = here, worth
    data = (
        (np.uint64(np.float32(score).view(np.uint32)) << _SCORE_SHIFT)
        | (index << _INDEX_SHIFT)
        | (bound << _BOUND_SHIFT)
        | (depth << _DEPTH_SHIFT)
        | search
    )
    memory[chosen], memory[chosen + _1] = data, key ^ data


@inline
def score_of(data: Any) -> Any:
    return np.float64(np.uint32(data >> _SCORE_SHIFT).view(np.float32))


@inline
def index_of(data: Any) -> Any:
    return (data >> _INDEX_SHIFT) & _INDEX_MASK


@inline
def bound_of(data: Any) -> Any:
    return (data >> _BOUND_SHIFT) & _BOUND_MASK


@inline
def depth_of(data: Any) -> Any:
    return (data >> _DEPTH_SHIFT) & _DEPTH_MASK
