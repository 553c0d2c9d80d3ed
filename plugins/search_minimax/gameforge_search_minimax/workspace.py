"""Layout of the workspace of a search: ctx.stack and ctx.scores take the place of recursion.

ctx.stack has these regions: the states, keys, frames, lines (length first) and pairs of killers of all plies; the
history; the moves of all plies; and their merits, by which they are ordered.
"""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge_search_minimax.ordering import HISTORY_WORDS

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)

NEXT, END, LEFT, BELOW, SINCE, BEST, IS_PV, WINDOW = (np.uint64(i) for i in range(8))
"""Words of a frame, the data of a node whose moves are being searched: the next move and the end of the moves, the
depth left for the node and for its children, the plies since the last irreversible move, the index of the best move so
far, whether the node is on the principal variation, and the window of the child that is being searched (windows.py)."""
FRAME = np.uint64(8)
SCORE, ALPHA, BETA, FLOOR = (np.uint64(i) for i in range(4))
"""Scores of a node in ctx.scores: its best score so far, its window, and its initial alpha."""
BOUNDS = np.uint64(4)


class Layout(NamedTuple):
    """Offsets of the regions of ctx.stack."""

    words: Any
    keys: Any
    frames: Any
    lines: Any
    line_words: Any
    killers: Any
    history: Any
    moves: Any
    merits: Any
    """Distance from a move to its merit."""


def stack_words(plies: int, words: int, max_moves: int) -> int:
    """Number of words of ctx.stack for a search whose deepest ply is `plies`."""
    per_ply = words + 1 + int(FRAME) + (plies + 2) + 2
    return (plies + 1) * per_ply + HISTORY_WORDS + 2 * (plies + 1) * max_moves


@inline
def layout_of(last_ply: Any, words: Any, max_moves: Any) -> Any:
    """The layout of a stack of the size `stack_words`."""
    plies = last_ply + _1
    line_words = plies + _1
    keys = plies * words
    frames = keys + plies
    lines = frames + plies * FRAME
    killers = lines + plies * line_words
    history = killers + plies * _2
    moves = history + np.uint64(HISTORY_WORDS)
    merits = plies * max_moves
    return Layout(words, keys, frames, lines, line_words, killers, history, moves, merits)


@inline
def killers_at(layout: Any, ply: Any) -> Any:
    """Offset of the two killers of a ply."""
    return layout.killers + ply * _2


@inline
def first_move(stack: Any, layout: Any, ply: Any) -> Any:
    """Index of the first move of the node at `ply`."""
    return layout.moves if ply == _0 else stack[layout.frames + (ply - _1) * FRAME + END]


@inline
def update_line(stack: Any, layout: Any, ply: Any, move: Any) -> None:
    """Set the line of the node at `ply` to a move followed by the line of its child."""
    line = layout.lines + ply * layout.line_words
    length = stack[line + layout.line_words] + _1
    stack[line], stack[line + _1] = length, move
    for i in range(_1, length):
        stack[line + _1 + i] = stack[line + layout.line_words + i]


@inline
def forget_line(stack: Any, layout: Any, ply: Any) -> None:
    """Clear the line of the node at `ply`."""
    stack[layout.lines + ply * layout.line_words] = _0
