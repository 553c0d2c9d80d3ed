"""Kernels that play a game and record every search: all moves of each root, with their visits and values."""

from typing import Any

import numpy as np

from gameforge.interfaces.searcher import STATISTICS
from gameforge.kernel.abi import RUNNING
from gameforge.kernel.answer import statistics_of
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import bare_kernel, kernel
from gameforge.kernel.context import OUT_MOVE, PLIES, STOP, CompiledPlayer, Integers, Words
from gameforge.kernel.game import GameWorkspace, advance, begin, legal

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_STATISTICS = np.uint64(STATISTICS)
MORE = 3
"""Number of words in a row after those of the state."""


@bare_kernel
def begin_at(game: GameWorkspace, start: Words) -> None:
    """Set up a game that begins at a state."""
    begin(game, at(start, _0))


@bare_kernel
def play_recording(
    game: GameWorkspace,
    first: CompiledPlayer,
    second: CompiledPlayer,
    max_rows: np.uint64,
    rows: Words,
    filled: Integers,
) -> Any:
    """Continue a game; `first` moves at even plies. Every move is searched, even if it is the only legal one.

    Writes a row for each move that a search counted: the state after it, its visits, the bits of its value (float64,
    for the side that makes it), and the plies of the game before it. filled[0] is the number of rows. Returns the code
    of the final state, or RUNNING if `rows` has no room for the next search or if a STOP flag was set.
    """
    rules = game.rules
    data, size = at(rules.data, _0), rules.words + _3
    filled[0] = 0
    while True:
        n, code = legal(game)
        row = np.uint64(filled[0])
        if code != RUNNING or row + n > max_rows:
            return code
        player = second if game.counters[PLIES] & 1 else first
        state, out = at(game.states, _0), player.out
        out[_STATISTICS] = _0
        player.search(player.context, state, at(player.limits, _0), at(out, _0))
        if first.context.control[STOP] | second.context.control[STOP]:
            return RUNNING
        for i in range(out[_STATISTICS]):
            found, to = statistics_of(i), row * size
            rules.play(data, state, out[found], at(rows, to))
            rows[to + rules.words] = out[found + _1]
            rows[to + rules.words + _1] = out[found + _2]
            rows[to + rules.words + _2] = np.uint64(game.counters[PLIES])
            row += _1
        filled[0] = np.int64(row)
        advance(game, out[OUT_MOVE])


@kernel
def input_rows(features: Any, data: Words, words: np.uint64, states: Words, inputs: np.uint64, x: Any) -> None:
    """Write the features of states, which are stored one after another, into x[states, inputs]."""
    for i in range(np.uint64(len(states)) // words):
        features(at(data, _0), at(states, i * words), at(x, i * inputs))
