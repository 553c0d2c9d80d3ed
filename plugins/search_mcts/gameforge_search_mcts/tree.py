"""The tree of a search, in one block of memory that is kept between moves: its nodes, its root, and its answer.

The block holds a header, the words of the root's state, and the nodes one after the other. A node has four words, and
four more for each of its moves, an *edge*. The moves are in a random order, drawn when the node is made. An edge that
leads to no node is a leaf. An edge in the header leads to the root.

Results are stored as utilities for the side that moves along the edge: 0 lost, 1 drawn, 2 won, in units of 2^-30, so
their sum is exact and does not depend on the order of the simulations.

A search begins with an empty tree, or with the part of the last tree below its position. Its answer is the move, the
line, and the statistics of the root's moves.
"""

from typing import Any

import numpy as np

from gameforge.interfaces import HEURISTIC_LIMIT, MAX_LINE, PLY, PROVEN_WIN, WON
from gameforge.kernel import (
    U0,
    U1,
    U4,
    at,
    begin_statistics,
    below,
    finish,
    inline,
    mix,
    slots,
    write_answer,
    write_statistics,
)

USED, RECORD, PLIES, COMPANIONS = (np.uint64(i) for i in range(4))
"""Header: words in use (0: no tree), hash of the moves before the root, their number, and the distance of an edge's
companion words (0: there are none)."""
ROOT, STATE = np.uint64(4), np.uint64(8)
"""Offsets of the edge that leads to the root, and of the root's state."""

MOVE, VISITS, TOTAL, LINK = (np.uint64(i) for i in range(4))
"""An edge: its move, the number of simulations along it, and the sum of their utilities. LINK is the node that it leads
to; or 0 for a leaf; or KNOWN and the utility of the position that it leads to, if this is certain."""
PLAYED, PLAYED_TOTAL, GUESS = (np.uint64(i) for i in range(3))
"""An edge's companion: the number of simulations in which its side played its move in this position or later, the sum
of their utilities, and the utility of the move by the evaluator."""
KEY, COUNT, SINCE, BACK = (np.uint64(i) for i in range(4))
"""A node: its position's key (if repetitions count); the number of its moves plus TRIED times the number of those that
were visited; the plies since the last irreversible move; workspace of `keep_subtree`."""
TRIED = np.uint64(1 << 32)
_COUNT_MASK = np.uint64((1 << 32) - 1)
EDGE = U4
NODE = U4
KNOWN, BY_RULES = np.uint64(1 << 63), np.uint64(1 << 62)
"""Flags of a LINK: the utility (0, 1, 2) is certain; it is certain by the rules, not by an oracle."""
RESULT = np.uint64(3)
DRAWN = U1

UNIT = np.uint64(1 << 30)
WHOLE = np.uint64(2 << 30)
"""Utility of a win, and the sum of both sides' utilities."""
PER_UNIT = 2.0**-30


@inline
def utility(score: Any) -> Any:
    """Utility of a score from -1 to 1, for the same side."""
    return np.uint64((score + 1.0) * 1073741824.0)


@inline
def mean(memory: Any, edge: Any) -> Any:
    """Mean result of a visited edge, -1 to 1 for the side that moves along it."""
    return np.float64(memory[edge + TOTAL]) * PER_UNIT / np.float64(memory[edge + VISITS]) - 1.0


@inline
def count(memory: Any, node: Any) -> Any:
    """Number of moves of a node; its edges begin at node + NODE."""
    return memory[node + COUNT] & _COUNT_MASK


@inline
def tried(memory: Any, node: Any) -> Any:
    """Number of edges of a node that were visited; they are the first ones."""
    return memory[node + COUNT] // TRIED


@inline
def begin(memory: Any, s: Any, words: Any, record: Any, plies: Any) -> None:
    """Make an empty tree: the edge to the root, and its state."""
    memory[USED], memory[RECORD], memory[PLIES] = STATE + words, record, plies
    for i in range(EDGE):
        memory[ROOT + i] = U0
    for i in range(words):
        memory[STATE + i] = s[i]


@inline
def has_room(memory: Any, n: Any) -> Any:
    """Whether a node with n moves can be added."""
    end = memory[COMPANIONS] if memory[COMPANIONS] != U0 else np.uint64(len(memory))
    return memory[USED] + NODE + n * EDGE <= end


@inline
def add_node(memory: Any, edge: Any, moves: Any, n: Any, key: Any, since: Any, rng: Any) -> Any:
    """Add a node with these moves, none of them visited, to which an edge leads; returns the node."""
    node = memory[USED]
    memory[USED] = node + NODE + n * EDGE
    memory[edge + LINK] = node
    memory[node + KEY], memory[node + COUNT], memory[node + SINCE], memory[node + BACK] = key, n, since, U0
    for i in range(n):
        other = i + below(rng, n - i)
        moves[i], moves[other] = moves[other], moves[i]
        added = node + NODE + i * EDGE
        memory[added + MOVE], memory[added + VISITS] = moves[i], U0
        memory[added + TOTAL], memory[added + LINK] = U0, U0
    if memory[COMPANIONS] != U0:
        for i in range(NODE, NODE + n * EDGE):
            memory[memory[COMPANIONS] + node + i] = U0
    return node


@inline
def find_edge(memory: Any, node: Any, move: Any) -> Any:
    """The edge of a move, 0 if there is none."""
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        if memory[edge + MOVE] == move:
            return edge
    return U0


@inline
def is_node(link: Any) -> Any:
    """Whether the LINK of an edge is a node."""
    return link != U0 and link & KNOWN == U0


@inline
def settle(memory: Any, edge: Any, gained: Any, by_rules: Any) -> None:
    """Make the value of the position that an edge leads to certain: its utility for the side that moves along the edge.

    The simulations so far count as if they had known it.
    """
    memory[edge + LINK] = KNOWN | (gained // UNIT) | (BY_RULES if by_rules else U0)
    memory[edge + TOTAL] = memory[edge + VISITS] * gained


@inline
def keep_subtree(memory: Any, edge: Any, s: Any, words: Any, record: Any, plies: Any) -> None:
    """Make the node that an edge leads to the root, and move its subtree to the front of the memory, in one pass.

    A node always comes after its parent in memory, so it is visited after its parent was moved. The parent left the new
    offset of the edge to the node in the node's BACK; BACK is 0 in nodes outside the subtree.
    """
    old_end, beside = memory[USED], memory[COMPANIONS]
    node = memory[edge + LINK]
    for i in range(EDGE):
        memory[ROOT + i] = memory[edge + i]
    for i in range(words):
        memory[STATE + i] = s[i]
    memory[RECORD], memory[PLIES] = record, plies
    memory[node + BACK] = ROOT
    to = STATE + words
    while node < old_end:
        size = NODE + count(memory, node) * EDGE
        back = memory[node + BACK]
        if back != U0:
            memory[node + BACK] = U0
            memory[back + LINK] = to
            for i in range(size):
                memory[to + i] = memory[node + i]
            if beside != U0:
                for i in range(size):
                    memory[beside + to + i] = memory[beside + node + i]
            for i in range(NODE, size, EDGE):
                link = memory[to + i + LINK]
                if is_node(link):
                    memory[link + BACK] = to + i
            to += size
        node += size
    memory[USED] = to


@inline
def find_root(ctx: Any, s: Any, reuse: Any) -> None:
    """Make `s` the root of the tree in ctx.memory; memory[ROOT + LINK] is 0 if the tree is empty.

    With `reuse`, the subtree of `s` is kept if the tree is from an earlier move of this game: the same moves led to its
    root, and the moves since then lead through the tree to `s`. A tree whose root is `s` itself is not reused.
    """
    rules, memory, stack = ctx.rules, ctx.memory, ctx.stack
    words = rules.words
    plies, record = np.uint64(ctx.counters[slots.PLIES]), U0
    edge, current, next_state = U0, U0, words
    for i in range(words):
        stack[i] = memory[STATE + i]
    for i in range(plies):
        if reuse and memory[USED] != U0 and memory[PLIES] == i and memory[RECORD] == finish(record):
            edge = ROOT
        move = ctx.played[i]
        record = mix(record, move)
        if edge != U0:
            link = memory[edge + LINK]
            edge = find_edge(memory, link, move) if is_node(link) else U0
            if edge != U0:
                rules.play(at(rules.data, U0), at(stack, current), move, at(stack, next_state))
                current, next_state = next_state, current
    record = finish(record)
    found = edge != U0 and is_node(memory[edge + LINK])
    if found:
        for i in range(words):
            found &= stack[current + i] == s[i]
    if found:
        keep_subtree(memory, edge, s, words, record, plies)
    else:
        begin(memory, s, words, record, plies)


_MAX_LINE = np.uint64(MAX_LINE)


@inline
def _best_edge(memory: Any, node: Any, most_visited: Any, prior: Any) -> Any:
    """The edge with the greatest mean, or the most visited one; the other number breaks ties.

    0 if no simulation went beyond the node.
    """
    chosen, visits, value = U0, U0, 0.0
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        times = memory[edge + VISITS]
        if times > prior:
            worth = mean(memory, edge)
            if most_visited:
                better = times > visits or (times == visits and worth > value)
            else:
                better = worth > value or (worth == value and times > visits)
            if chosen == U0 or better:
                chosen, visits, value = edge, times, worth
    return chosen


@inline
def _score_of(memory: Any, edge: Any) -> Any:
    """Score of the move along an edge: its mean, in the band for proven, known or heuristic values."""
    value, link = mean(memory, edge), memory[edge + LINK]
    if link & KNOWN != U0 and link & RESULT != DRAWN:
        return value * (PROVEN_WIN - PLY if link & BY_RULES != U0 else WON)
    return min(max(value, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)


@inline
def answer_from_tree(memory: Any, most_visited: Any, prior: Any, simulations: Any, line: Any, out: Any) -> Any:
    """Write move, line and statistics; returns the score. Each edge has `prior` visits that were not simulations.

    Without any simulation the move is a random one, and the score is 0. `line` has room for MAX_LINE moves.
    """
    node = memory[ROOT + LINK]
    n = count(memory, node)
    begin_statistics(out, n)
    for i in range(n):
        edge = node + NODE + i * EDGE
        value = mean(memory, edge) if memory[edge + VISITS] != U0 else 0.0
        write_statistics(out, i, memory[edge + MOVE], memory[edge + VISITS] - prior, value)
    best = _best_edge(memory, node, most_visited, prior)
    length, edge = U0, best
    while edge != U0 and length < _MAX_LINE:
        line[length] = memory[edge + MOVE]
        length += U1
        link = memory[edge + LINK]
        edge = _best_edge(memory, link, most_visited, prior) if is_node(link) else U0
    move = memory[best + MOVE] if best != U0 else memory[node + NODE + MOVE]
    write_answer(out, move, simulations, line, length)
    return _score_of(memory, best) if best != U0 else 0.0
