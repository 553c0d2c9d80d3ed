"""Recorded games as ranks of their moves: a few bytes for each ply, from which the rules play the game again.

The rank of a legal move is the number of legal moves whose words are smaller. So it does not depend on the order in
which the rules write their moves. Games lie one after the other in flat arrays: `ends[g]` is the number of moves of the
games 0 to g. A game of n moves has n + 1 positions, so its positions end at `ends[g] + g + 1`.
"""

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.bits import U0, at, finish, mix, position_key
from gameforge.kernel.compile.functions import Function
from gameforge.kernel.compile.jit import bare_kernel, inline
from gameforge.kernel.context import CompiledRules
from gameforge.kernel.types import IntegerArray, Word, WordArray, Words

RankArray = NDArray[np.uint16]
"""Ranks of moves."""
MOST_MOVES = 0xFFFF
"""Ranks are smaller than this number."""
_RUNNING_ON = -1
"""In `found`: nothing is wrong, or nothing was found."""


@inline
def spread_key(rules: CompiledRules, s: Words) -> Word:
    """Return the key of a state with all bits mixed, since those of a game's own keys need not be even."""
    return finish(mix(U0, position_key(rules, at(rules.data, U0), s)))


@bare_kernel
def keys_of(rules: CompiledRules, states: WordArray, keys: WordArray) -> None:
    """Write the spread key of each state."""
    for i in range(len(keys)):
        keys[i] = spread_key(rules, at(states, np.uint64(i) * rules.words))


@inline
def rank_of(legal: WordArray, n: Word, m: Word) -> int:
    """Return the rank of a move among the first n of a list; -1 if it is not there."""
    rank, there = 0, False
    for i in range(n):
        if legal[i] < m:
            rank += 1
        elif legal[i] == m:
            there = True
    return rank if there else -1


@inline
def move_of(legal: WordArray, n: Word, rank: int) -> Word:
    """Return the move with this rank, which is smaller than n."""
    for i in range(n):
        smaller = 0
        for j in range(n):
            if legal[j] < legal[i]:
                smaller += 1
        if smaller == rank:
            return legal[i]
    return legal[0]


@bare_kernel
def rank_games(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    moves: WordArray,
    ends: IntegerArray,
    ranks: RankArray,
    keys: WordArray,
    digests: WordArray,
    found: IntegerArray,
) -> None:
    """Replay games given by their moves: write ranks, spread keys of all positions, and a digest of each game.

    found[g]: the index of the game's first illegal move, with which it stops, or -1. Workspace: states 2 * words, legal
    max_moves.
    """
    data, words = at(rules.data, U0), rules.words
    first = 0
    for g in range(len(ends)):
        here, there = U0, words
        digest = U0
        for i in range(words):
            states[i] = starts[np.uint64(g) * words + np.uint64(i)]
            digest = mix(digest, states[i])
        found[g] = _RUNNING_ON
        keys[first + g] = spread_key(rules, at(states, here))
        for p in range(first, ends[g]):
            n = rules.gen(data, at(states, here), at(legal, U0))
            rank = rank_of(legal, n, moves[p])
            if rank < 0:
                found[g] = p - first
                break
            ranks[p] = rank
            digest = mix(digest, moves[p])
            rules.play(data, at(states, here), moves[p], at(states, there))
            here, there = there, here
            keys[p + g + 1] = spread_key(rules, at(states, here))
        digests[g] = finish(digest)
        first = ends[g]


@bare_kernel
def play_ranks(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    ranks: RankArray,
    ends: IntegerArray,
    moves: WordArray,
    keys: WordArray,
    digests: WordArray,
    found: IntegerArray,
) -> None:
    """Replay games given by ranks: write their moves, spread keys and digests; the inverse of `rank_games`.

    found[g]: the index of the first rank that no legal move has, or -1.
    """
    data, words = at(rules.data, U0), rules.words
    first = 0
    for g in range(len(ends)):
        here, there = U0, words
        digest = U0
        for i in range(words):
            states[i] = starts[np.uint64(g) * words + np.uint64(i)]
            digest = mix(digest, states[i])
        found[g] = _RUNNING_ON
        keys[first + g] = spread_key(rules, at(states, here))
        for p in range(first, ends[g]):
            n = rules.gen(data, at(states, here), at(legal, U0))
            if ranks[p] >= n:
                found[g] = p - first
                break
            m = move_of(legal, n, ranks[p])
            moves[p] = m
            digest = mix(digest, m)
            rules.play(data, at(states, here), m, at(states, there))
            here, there = there, here
            keys[p + g + 1] = spread_key(rules, at(states, here))
        digests[g] = finish(digest)
        first = ends[g]


@bare_kernel
def find_key(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    ranks: RankArray,
    ends: IntegerArray,
    key: Word,
    found: IntegerArray,
) -> None:
    """Find the first position with this spread key: found[g] is its ply in game g, or -1."""
    data, words = at(rules.data, U0), rules.words
    first = 0
    for g in range(len(ends)):
        here, there = U0, words
        for i in range(words):
            states[i] = starts[np.uint64(g) * words + np.uint64(i)]
        found[g] = _RUNNING_ON
        for p in range(first, ends[g] + 1):
            if spread_key(rules, at(states, here)) == key:
                found[g] = p - first
                break
            if p == ends[g]:
                break
            n = rules.gen(data, at(states, here), at(legal, U0))
            if ranks[p] >= n:
                break
            rules.play(data, at(states, here), move_of(legal, n, ranks[p]), at(states, there))
            here, there = there, here
        first = ends[g]


@bare_kernel
def find_cells(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    ranks: RankArray,
    ends: IntegerArray,
    read: Function,
    block: WordArray,
    planes: WordArray,
    wanted: WordArray,
    empty: Word,
    found: IntegerArray,
) -> None:
    """Find the first position with certain cells: found[g] is its ply in game g, or -1.

    read, block: the function `cells` of the game and its data. wanted: for each code a word with the cells that must
    have it. empty: those that must have none. Workspace: planes, a word for each code and number.
    """
    data, words = at(rules.data, U0), rules.words
    first = 0
    for g in range(len(ends)):
        here, there = U0, words
        for i in range(words):
            states[i] = starts[np.uint64(g) * words + np.uint64(i)]
        found[g] = _RUNNING_ON
        for p in range(first, ends[g] + 1):
            read(at(block, U0), at(states, here), at(planes, U0))
            wrong = U0
            for c in range(len(wanted)):
                wrong |= (wanted[c] & ~planes[c]) | (empty & planes[c])
            if wrong == U0:
                found[g] = p - first
                break
            if p == ends[g]:
                break
            n = rules.gen(data, at(states, here), at(legal, U0))
            if ranks[p] >= n:
                break
            rules.play(data, at(states, here), move_of(legal, n, ranks[p]), at(states, there))
            here, there = there, here
        first = ends[g]
