"""The tree of a search, in one block of memory that is kept between moves.

The block holds a header, the words of the root's state, and the nodes one after the other. A node has four words, and
four more for each of its moves, an *edge*. The moves are in a random order, drawn when the node is made. An edge that
leads to no node is a leaf. An edge in the header leads to the root.

Results are stored as utilities for the side that moves along the edge: 0 lost, 1 drawn, 2 won, in units of 2^-30, so
their sum is exact and does not depend on the order of the simulations.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import below
from gameforge.kernel.compile.jit import inline

_0, _1, _4 = np.uint64(0), np.uint64(1), np.uint64(4)

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
EDGE = _4
NODE = _4
KNOWN, BY_RULES = np.uint64(1 << 63), np.uint64(1 << 62)
"""Flags of a LINK: the utility (0, 1, 2) is certain; it is certain by the rules, not by an oracle."""
RESULT = np.uint64(3)
DRAWN = _1

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
        memory[ROOT + i] = _0
    for i in range(words):
        memory[STATE + i] = s[i]


@inline
def has_room(memory: Any, n: Any) -> Any:
    """Whether a node with n moves can be added."""
    end = memory[COMPANIONS] if memory[COMPANIONS] != _0 else np.uint64(len(memory))
    return memory[USED] + NODE + n * EDGE <= end


@inline
def add_node(memory: Any, edge: Any, moves: Any, n: Any, key: Any, since: Any, rng: Any) -> Any:
    """Add a node with these moves, none of them visited, to which an edge leads; returns the node."""
    node = memory[USED]
    memory[USED] = node + NODE + n * EDGE
    memory[edge + LINK] = node
    memory[node + KEY], memory[node + COUNT], memory[node + SINCE], memory[node + BACK] = key, n, since, _0
    for i in range(n):
        other = i + below(rng, n - i)
        moves[i], moves[other] = moves[other], moves[i]
        added = node + NODE + i * EDGE
        memory[added + MOVE], memory[added + VISITS] = moves[i], _0
        memory[added + TOTAL], memory[added + LINK] = _0, _0
    if memory[COMPANIONS] != _0:
        for i in range(NODE, NODE + n * EDGE):
            memory[memory[COMPANIONS] + node + i] = _0
    return node


@inline
def find_edge(memory: Any, node: Any, move: Any) -> Any:
    """The edge of a move, 0 if there is none."""
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        if memory[edge + MOVE] == move:
            return edge
    return _0


@inline
def is_node(link: Any) -> Any:
    """Whether the LINK of an edge is a node."""
    return link != _0 and link & KNOWN == _0


@inline
def settle(memory: Any, edge: Any, gained: Any, by_rules: Any) -> None:
    """Make the value of the position that an edge leads to certain: its utility for the side that moves along the edge.

    The simulations so far count as if they had known it.
    """
    memory[edge + LINK] = KNOWN | (gained // UNIT) | (BY_RULES if by_rules else _0)
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
        if back != _0:
            memory[node + BACK] = _0
            memory[back + LINK] = to
            for i in range(size):
                memory[to + i] = memory[node + i]
            if beside != _0:
                for i in range(size):
                    memory[beside + to + i] = memory[beside + node + i]
            for i in range(NODE, size, EDGE):
                link = memory[to + i + LINK]
                if is_node(link):
                    memory[link + BACK] = to + i
            to += size
        node += size
    memory[USED] = to
