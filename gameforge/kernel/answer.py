"""The answer of a search in its block `out`: how searchers write it, and how Python reads it.

`out` holds the move, the nodes, the line and, for searchers that count visits, statistics of the root's moves. Its
indices are named in slots.py and `gameforge.interfaces.searcher`.
"""

from typing import NamedTuple

import numpy as np

from gameforge.kernel import slots
from gameforge.kernel.bits import U0, U1, U2, U3
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.types import Score, Word, WordArray, Words

_LINE, _MAX_LINE, _STATISTICS = np.uint64(slots.OUT_LINE), np.uint64(slots.MAX_LINE), np.uint64(slots.STATISTICS)


@inline
def write_answer(out: Words, move: Word, nodes: Word, line: Words, length: Word) -> None:
    """Write the move, the number of nodes, and the line: the first `length` moves of `line`, which begin with the move.

    A line longer than MAX_LINE is cut; a search that was stopped early may have none.
    """
    length = min(np.uint64(length), _MAX_LINE)
    out[slots.OUT_MOVE], out[slots.OUT_NODES], out[slots.OUT_LINE_LENGTH] = move, np.uint64(nodes), length
    for i in range(length):
        out[_LINE + i] = line[i]


@inline
def write_move(out: Words, move: Word, nodes: Word) -> None:
    """Write the answer of a search that looks at most one ply ahead; the line is the move alone."""
    out[slots.OUT_MOVE], out[slots.OUT_NODES] = move, np.uint64(nodes)
    out[slots.OUT_LINE_LENGTH], out[slots.OUT_LINE] = U1, move


@inline
def write_no_move(out: Words, nodes: Word) -> None:
    """Write the answer in a position whose game is over."""
    out[slots.OUT_MOVE], out[slots.OUT_NODES], out[slots.OUT_LINE_LENGTH] = U0, np.uint64(nodes), U0


@inline
def begin_statistics(out: Words, moves: Word) -> None:
    """Set the number of moves that have statistics."""
    out[_STATISTICS] = np.uint64(moves)


@inline
def statistics_of(i: Word | int) -> Word:
    """Return the index in `out` of the statistics of move number i: move, visits, bits of the mean result."""
    return _STATISTICS + U1 + U3 * np.uint64(i)


@inline
def write_statistics(out: Words, i: Word | int, move: Word, visits: Word, value: Score) -> None:
    """Write move number i of the root, its visits, and its mean result for the side to move (-1 to 1).

    The moves are written in the order of i, from 0 on; the block then counts i + 1 of them.
    """
    to = statistics_of(i)
    out[_STATISTICS] = np.uint64(i) + U1
    out[to], out[to + U1], out[to + U1 + U1] = move, visits, np.float64(value).view(np.uint64)


EXACT, AT_LEAST, AT_MOST = U0, U1, U2
"""What a value that is handed out says about a node: that it is its value, a lower bound, or an upper bound."""


_SCALE = 2.0**52
"""Values are handed out in these parts, because no function of numba makes a float of its bits."""


@inline
def begin_handing_out(stack: WordArray) -> None:
    """Forget the nodes that were handed out: their number is the last word of the stack."""
    stack[np.uint64(len(stack)) - U1] = U0


@inline
def hand_out(stack: WordArray, used: Word, words: Word, state: Words, value: Score, bound: Word) -> None:
    """Hand out an inner node: its state, its value for the side to move, and what that says.

    used: the words of the stack that the search needs itself; the nodes follow them, words + 2 each. Nodes for which
    there is no room are counted only.
    """
    last = np.uint64(len(stack)) - U1
    node = used + stack[last] * (words + U2)
    stack[last] += U1
    if node + words + U2 <= last:
        for i in range(words):
            stack[node + i] = state[i]
        stack[node + words], stack[node + words + U1] = np.uint64(np.int64(np.rint(value * _SCALE))), bound


@inline
def handed_out(word: Word) -> Score:
    """Return the value of a node from the word that `hand_out` has written."""
    return np.float64(np.int64(word)) / _SCALE


class Answer(NamedTuple):
    """The answer of a search as Python numbers."""

    move: int
    """The word of the chosen move."""
    nodes: int
    """Nodes of the search, in the searcher's own count."""
    line: list[int]
    """Words of the expected moves; begins with `move`, or is empty."""


def read_answer(out: WordArray) -> Answer:
    """Read the answer, without the statistics, from the block `out`."""
    move, nodes, length = map(int, out[: slots.OUT_LINE])
    return Answer(move, nodes, out[slots.OUT_LINE : slots.OUT_LINE + length].tolist())


def read_statistics(out: WordArray) -> list[tuple[int, int, float]]:
    """Read (move, visits, mean result for the side to move) of each move that has statistics."""
    moves, visits, values = out[slots.STATISTICS + 1 :][: 3 * int(out[slots.STATISTICS])].reshape(-1, 3).T
    return list(zip(moves.tolist(), visits.tolist(), values.copy().view(np.float64).tolist(), strict=True))
