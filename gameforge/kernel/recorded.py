"""Recorded games as ranks of their moves: a few bytes for each ply, from which the rules play the game again.

The rank of a legal move is the number of legal moves whose words are smaller. So it does not depend on the order in
which the rules write their moves. Games lie one after the other in flat arrays: `ends[g]` is the number of moves of the
games 0 to g. A game of n moves has n + 1 positions, so its positions end at `ends[g] + g + 1`.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.rules import RUNNING
from gameforge.kernel.bits import U0, at, finish, mix, position_key
from gameforge.kernel.compile.functions import Function
from gameforge.kernel.compile.jit import bare_kernel, inline
from gameforge.kernel.context import CompiledRules
from gameforge.kernel.gameplay import GameWorkspace, advance, begin, is_legal, legal
from gameforge.kernel.types import IntegerArray, Word, WordArray, Words

RankArray = NDArray[np.uint16]
"""Ranks of moves."""
MOST_MOVES = 0xFFFF
"""Ranks are smaller than this number."""
NOWHERE = -1
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


@inline
def _begin(rules: CompiledRules, states: WordArray, starts: WordArray, g: int) -> Word:
    """Put the start of game g into states[0:words]; return the hash with which its digest begins."""
    digest = U0
    for i in range(rules.words):
        states[i] = starts[np.uint64(g) * rules.words + np.uint64(i)]
        digest = mix(digest, states[i])
    return digest


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

    found[g]: the index of the game's first illegal move, with which it stops, or NOWHERE. Workspace: states 2 * words,
    legal max_moves.
    """
    data = at(rules.data, U0)
    first = 0
    for g in range(len(ends)):
        here, there = U0, rules.words
        digest = _begin(rules, states, starts, g)
        found[g] = NOWHERE
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
def replay_games(
    game: GameWorkspace,
    starts: WordArray,
    moves: WordArray,
    ends: IntegerArray,
    codes: IntegerArray,
    wrong: IntegerArray,
) -> None:
    """Replay games given by their moves, with all draws that depend on the moves before.

    codes[g]: the code of the last state of game g. wrong[g]: the index of its first move that is not legal, or before
    which it was over; NOWHERE if there is none.
    """
    first = 0
    for g in range(len(ends)):
        begin(game, at(starts, np.uint64(g) * game.rules.words))
        wrong[g] = NOWHERE
        n_moves, code = legal(game)
        for p in range(first, ends[g]):
            if code != RUNNING or not is_legal(game, n_moves, moves[p]):
                wrong[g] = p - first
                break
            advance(game, moves[p])
            n_moves, code = legal(game)
        codes[g] = code
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

    found[g]: the index of the first rank that no legal move has, or NOWHERE.
    """
    data = at(rules.data, U0)
    first = 0
    for g in range(len(ends)):
        here, there = U0, rules.words
        digest = _begin(rules, states, starts, g)
        found[g] = NOWHERE
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


Task = TypeVar("Task")
Holds = Callable[[CompiledRules, Words, Task], bool]
"""Says whether a state is what is looked for."""


@inline
def _find(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    ranks: RankArray,
    ends: IntegerArray,
    found: IntegerArray,
    holds: "Holds[Task]",
    task: Task,
) -> None:
    """Find the first position of each game for which holds(rules, state, task): found[g] is its ply, or NOWHERE."""
    data = at(rules.data, U0)
    first = 0
    for g in range(len(ends)):
        here, there = U0, rules.words
        _begin(rules, states, starts, g)
        found[g] = NOWHERE
        for p in range(first, ends[g] + 1):
            if holds(rules, at(states, here), task):
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


@inline
def _has_key(rules: CompiledRules, s: Words, key: Word) -> bool:
    return bool(spread_key(rules, s) == key)


@bare_kernel
def find_key(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    ranks: RankArray,
    ends: IntegerArray,
    found: IntegerArray,
    key: Word,
) -> None:
    """Find the first position with this spread key: found[g] is its ply in game g, or NOWHERE."""
    _find(rules, states, legal, starts, ranks, ends, found, _has_key, key)


class Pattern(NamedTuple):
    """Cells that a state must have."""

    read: Function
    """The function `cells` of the game."""
    data: WordArray
    """Its data."""
    planes: WordArray
    """Workspace: a word for each code and number of the cells."""
    wanted: WordArray
    """For each code a word of the cells that must have it."""
    empty: np.uint64
    """A word of the cells that must be empty."""


@inline
def _has_cells(rules: CompiledRules, s: Words, pattern: Pattern) -> bool:
    pattern.read(at(pattern.data, U0), s, at(pattern.planes, U0))
    wrong = U0
    for c in range(len(pattern.wanted)):
        wrong |= (pattern.wanted[c] & ~pattern.planes[c]) | (pattern.empty & pattern.planes[c])
    return bool(wrong == U0)


@bare_kernel
def find_cells(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    starts: WordArray,
    ranks: RankArray,
    ends: IntegerArray,
    found: IntegerArray,
    pattern: Pattern,
) -> None:
    """Find the first position with the cells of a pattern: found[g] is its ply in game g, or NOWHERE."""
    _find(rules, states, legal, starts, ranks, ends, found, _has_cells, pattern)
