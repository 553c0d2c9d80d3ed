"""The tree of a search, in one block of memory that is kept between moves.

The block: a header, the words of the root's state, then nodes one behind the other. A node is four words and
four more for each of its moves, an *edge*; the moves stand in a random order, drawn when the node is made. An edge
without a node behind it is a leaf. The root hangs at an edge of its own, in the header.

Results are kept as utilities of the side that moves along the edge: 0 lost, 1 drawn, 2 won, in units of 2^-30, so
that their sum is exact and does not depend on the order of the simulations.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge.kernel.random import below

_0, _1, _4 = np.uint64(0), np.uint64(1), np.uint64(4)

USED, RECORD, PLIES = (np.uint64(i) for i in range(3))
"""Header: words in use (0: no tree), hash of the moves before the root, their number; then the root's edge."""
ROOT, STATE = np.uint64(4), np.uint64(8)

MOVE, VISITS, TOTAL, LINK = (np.uint64(i) for i in range(4))
"""An edge: its move, simulations that went along it, the sum of their utilities; LINK is the node behind it, or 0,
or KNOWN and the utility that the position behind it has for certain."""
KEY, COUNT, SINCE, BACK = (np.uint64(i) for i in range(4))
"""A node: its position's key (where repetitions count), the number of its moves and, times TRIED, of those that were
visited; plies since the last irreversible move; workspace of `keep_subtree`."""
TRIED = np.uint64(1 << 32)
_COUNT_MASK = np.uint64((1 << 32) - 1)
EDGE = _4
NODE = _4
KNOWN, BY_RULES = np.uint64(1 << 63), np.uint64(1 << 62)
"""Flags of a LINK: the utility (0, 1, 2) is certain; by the game's rules, not by an oracle."""
RESULT = np.uint64(3)
DRAWN = _1

UNIT = np.uint64(1 << 30)
WHOLE = np.uint64(2 << 30)
"""Utility of a win; what one side has, the other has not."""
PER_UNIT = 2.0**-30


@inline
def utility(score: Any) -> Any:
    """Of a score from -1 to 1 for the same side."""
    return np.uint64((score + 1.0) * 1073741824.0)


@inline
def mean(memory: Any, edge: Any) -> Any:
    """Mean result of a visited edge, -1 to 1 for the side that moves along it."""
    return np.float64(memory[edge + TOTAL]) * PER_UNIT / np.float64(memory[edge + VISITS]) - 1.0


@inline
def count(memory: Any, node: Any) -> Any:
    """Moves of a node; its edges begin at node + NODE."""
    return memory[node + COUNT] & _COUNT_MASK


@inline
def tried(memory: Any, node: Any) -> Any:
    """Edges of a node that were visited, the first ones."""
    return memory[node + COUNT] // TRIED


@inline
def begin(memory: Any, s: Any, words: Any, record: Any, plies: Any) -> None:
    """An empty tree: the root's edge and state."""
    memory[USED], memory[RECORD], memory[PLIES] = STATE + words, record, plies
    for i in range(EDGE):
        memory[ROOT + i] = _0
    for i in range(words):
        memory[STATE + i] = s[i]


@inline
def has_room(memory: Any, n: Any) -> Any:
    """Whether a node with n moves can be added."""
    return memory[USED] + NODE + n * EDGE <= np.uint64(len(memory))


@inline
def add_node(memory: Any, edge: Any, moves: Any, n: Any, key: Any, since: Any, rng: Any) -> Any:
    """A node with these moves behind an edge, none of them visited."""
    node = memory[USED]
    memory[USED] = node + NODE + n * EDGE
    memory[edge + LINK] = node
    memory[node + KEY], memory[node + COUNT], memory[node + SINCE], memory[node + BACK] = key, n, since, _0
    for i in range(n):
        other = i + below(rng, n - i)
        moves[i], moves[other] = moves[other], moves[i]
        here = node + NODE + i * EDGE
        memory[here + MOVE], memory[here + VISITS] = moves[i], _0
        memory[here + TOTAL], memory[here + LINK] = _0, _0
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
def keep_subtree(memory: Any, edge: Any, s: Any, words: Any, record: Any, plies: Any) -> None:
    """Make the position behind an edge the root and move what hangs below it to the front, in one pass.

    A node always stands behind its parent. So each is met after its parent was moved, which left in BACK where the
    edge that leads to it stands now; in a node that does not hang below the new root BACK is 0.
    """
    old_end = memory[USED]
    here = memory[edge + LINK]
    for i in range(EDGE):
        memory[ROOT + i] = memory[edge + i]
    for i in range(words):
        memory[STATE + i] = s[i]
    memory[RECORD], memory[PLIES] = record, plies
    memory[here + BACK] = ROOT
    to = STATE + words
    while here < old_end:
        size = NODE + count(memory, here) * EDGE
        back = memory[here + BACK]
        if back != _0:
            memory[here + BACK] = _0
            memory[back + LINK] = to
            for i in range(size):
                memory[to + i] = memory[here + i]
            for i in range(NODE, size, EDGE):
                link = memory[to + i + LINK]
                if is_node(link):
                    memory[link + BACK] = to + i
            to += size
        here += size
    memory[USED] = to
