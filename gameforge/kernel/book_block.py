"""The block of a book (book.py), made from its lines."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from gameforge.interfaces.rules import DrawRules, State
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.compile.launch import entry
from gameforge.kernel.context import CompiledRules, Words
from gameforge.kernel.game import replay


class _Node:
    def __init__(self) -> None:
        self.moves: dict[int, _Node] = {}
        self.entries: Counter[int] = Counter()


def book_block(rules: CompiledRules, start: State, lines: Iterable[tuple[int, ...]], by_lines: bool = False) -> Words:
    """Make a block for `book_place` from lines of legal moves.

    start: the state in which all lines begin. by_lines: a move has an entry for each line that continues with it,
    instead of one entry.
    """

    root = _Node()
    longest = 1
    for line in lines:
        node = root
        for move in line:
            node.entries[move] = node.entries[move] + 1 if by_lines else 1
            node = node.moves.setdefault(move, _Node())
        longest = max(longest, len(line))
    game = game_workspace(rules, DrawRules(max_plies=longest))
    begin = np.array(start, np.uint64)
    words = [0]

    def write(node: _Node, record: list[int]) -> int:
        if not node.moves:
            return 0
        entry(replay)(game, begin, np.array(record, np.uint64))
        place = len(words)
        words.extend([int(game.history[game.history[0]]), node.entries.total()] + [0, 0] * node.entries.total())
        begins = place + 2
        for move, after in node.moves.items():
            words[begins : begins + 2 * node.entries[move]] = [move, write(after, [*record, move])] * node.entries[move]
            begins += 2 * node.entries[move]
        return place

    words[0] = write(root, [])
    return np.array(words, np.uint64)
