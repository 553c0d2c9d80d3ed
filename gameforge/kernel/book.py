"""Opening books inside kernels: a tree of lines, which is followed along the record of a game.

The tree is one block (made by book_block.py). Word 0 is the index of the root, or 0 without a book. A node is the key
of its position, the number n of its entries, and n entries (move, index of the node after it or 0); a move that is to
be drawn more often has several entries. A book goes by the record of the game, not by positions, like that of Kim and
Cho's players [KimCho2007]. The key excludes games that have the same moves but another start, so that a book move is
always legal.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.random import below

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)


@inline
def book_place(book: Any, played: Any, plies: Any, key: Any, rng: Any) -> Any:
    """Draw a move that continues the record; return its index in the block, or 0 if there is none.

    key: that of the position after the record. All entries of a node are equally likely.
    """
    node = book[0]
    for i in range(plies):
        if node == _0:
            return _0
        here, n = node, book[node + _1]
        node = _0
        for j in range(n):
            entry = here + _2 + _2 * np.uint64(j)
            if book[entry] == played[i]:
                node = book[entry + _1]
    if node == _0 or book[node] != key:
        return _0
    return node + _2 + _2 * below(at(rng, _0), book[node + _1])
