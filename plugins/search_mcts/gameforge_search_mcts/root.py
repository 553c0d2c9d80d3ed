"""Set up the root of a search: an empty tree, or the part of the last tree below the position."""

from typing import Any

import numpy as np

from gameforge.kernel.bits import at, finish, mix
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PLIES as PLIES_PLAYED
from gameforge_search_mcts.tree import (
    LINK,
    PLIES,
    RECORD,
    ROOT,
    STATE,
    USED,
    begin,
    find_edge,
    is_node,
    keep_subtree,
)

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def find_root(ctx: Any, s: Any, reuse: Any) -> None:
    """Make `s` the root of the tree in ctx.memory; memory[ROOT + LINK] is 0 if the tree is empty.

    With `reuse`, the subtree of `s` is kept if the tree is from an earlier move of this game: the same moves led to its
    root, and the moves since then lead through the tree to `s`. A tree whose root is `s` itself is not reused.
    """
    rules, memory, stack = ctx.rules, ctx.memory, ctx.stack
    words = rules.words
    plies, record = np.uint64(ctx.counters[PLIES_PLAYED]), _0
    edge, current, next_state = _0, _0, words
    for i in range(words):
        stack[i] = memory[STATE + i]
    for i in range(plies):
        if reuse and memory[USED] != _0 and memory[PLIES] == i and memory[RECORD] == finish(record):
            edge = ROOT
        move = ctx.played[i]
        record = mix(record, move)
        if edge != _0:
            link = memory[edge + LINK]
            edge = find_edge(memory, link, move) if is_node(link) else _0
            if edge != _0:
                rules.play(at(rules.data, _0), at(stack, current), move, at(stack, next_state))
                current, next_state = next_state, current
    record = finish(record)
    found = edge != _0 and is_node(memory[edge + LINK])
    if found:
        for i in range(words):
            found &= stack[current + i] == s[i]
    if found:
        keep_subtree(memory, edge, s, words, record, plies)
    else:
        begin(memory, s, words, record, plies)
