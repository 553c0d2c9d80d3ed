"""Opening books inside kernels: lines as a tree that is walked along the record of a game.

The tree is one block (made by book_block.py). Word 0 is the place of the root, 0 for no book. A node is the key of its
position, the number n of its entries, and n entries (move, place of the node after it or 0); a move that is drawn more
often than others has several entries. A book goes by the record, not by positions, as Kim and Cho's players do
[KimCho2007]. The key tells apart games that began at another position with the same moves, so that a book move is
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
    """Place in the block of a move drawn from those that continue the record; 0 if there is none.

    `key` is that of the position after the record. All entries of a node are equally likely.
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
