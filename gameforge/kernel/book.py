"""Opening books inside kernels: lines as a tree that is walked along the record of a game.

The tree is one block. Word 0 is the place of the root, 0 for no book. A node is the key of its
position, the number n of its entries, and n times (move, place of the node behind it or 0); a move
that shall be likelier than others has several entries. Going by the record, not by positions, is how
Kim and Cho use their lines; the key keeps games apart that began at another position with the same
moves, so that a move of the book is always legal.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.random import below

if TYPE_CHECKING:
    pass

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)


@inline
def book_place(book: Any, played: Any, plies: Any, key: Any, rng: Any) -> Any:
    """Place in the block of a move drawn from those that go on after the record; 0 if there is none.

    key: of the position after the record. Each entry of a node is as likely as the others.
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
