"""Opening books inside kernels: lines as a tree that is walked along the record of a game.

The tree is one block. Word 0 is the place of the root, 0 for no book. A node is the key of its
position, the number n of its entries, and n times (move, place of the node behind it or 0); a move
that shall be likelier than others has several entries. Going by the record, not by positions, is how
Kim and Cho use their lines; the key keeps games apart that began at another position with the same
moves, so that a move of the book is always legal.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.jit import inline
from gameforge.kernel.random import below

if TYPE_CHECKING:
    from gameforge.interfaces.rules import State
    from gameforge.kernel.context import RulesTable, Words

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


class _Node:
    def __init__(self) -> None:
        self.moves: dict[int, _Node] = {}
        self.entries: Counter[int] = Counter()


def book_block(
    rules: "RulesTable", start: "State", lines: Iterable[tuple[int, ...]], by_lines: bool = False
) -> "Words":
    """Lines of legal moves from a state as a block for `book_place`.

    A move has one entry, or with `by_lines` as many as there are lines that go on with it.
    """
    from gameforge.interfaces.rules import DrawRules
    from gameforge.kernel.game import replay
    from gameforge.kernel.tables import game_table

    root = _Node()
    longest = 1
    for line in lines:
        node = root
        for move in line:
            node.entries[move] = node.entries[move] + 1 if by_lines else 1
            node = node.moves.setdefault(move, _Node())
        longest = max(longest, len(line))
    game = game_table(rules, DrawRules(max_plies=longest))
    begin = np.array(start, np.uint64)
    words = [0]

    def write(node: _Node, record: list[int]) -> int:
        if not node.moves:
            return 0
        replay(game, begin, np.array(record, np.uint64))
        place = len(words)
        words.extend([int(game.history[game.history[0]]), node.entries.total()] + [0, 0] * node.entries.total())
        entry = place + 2
        for move, behind in node.moves.items():
            words[entry : entry + 2 * node.entries[move]] = [move, write(behind, [*record, move])] * node.entries[move]
            entry += 2 * node.entries[move]
        return place

    words[0] = write(root, [])
    return np.array(words, np.uint64)
