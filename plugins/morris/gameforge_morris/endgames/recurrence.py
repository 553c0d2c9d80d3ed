"""Verification: every distance of a database must follow from those of its successors by the rules' own functions."""

from typing import Any

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.kernel.bits import at, popcount
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.retrograde.distance_bytes import LOST, better
from gameforge_morris import movegen
from gameforge_morris.board import LEAST_MEN, STATE_WORDS, WHITE, state_of
from gameforge_morris.endgames.database import Database
from gameforge_morris.endgames.subspaces import RULES, men_of, number, starts, subspaces
from gameforge_morris.positions import position_text

_0 = np.uint64(0)
_CHILD, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_LEAST_MEN = np.uint64(LEAST_MEN)
_CHUNK = 1 << 20
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _distance(t: Any, distances: Any, space: Any) -> Any:
    """Compute the distance byte of the state in space[0:3] from those of its successors."""
    s, child, moves = at(space, _0), at(space, _CHILD), at(space, _MOVES)
    rules = at(t, RULES)
    n = _gen(rules, s, moves)
    best = np.int64(LOST)
    for i in range(n):
        _play(rules, s, moves[i], child)
        byte = np.int64(LOST)
        if popcount(child[0]) >= _LEAST_MEN:
            byte = np.int64(distances[number(t, child[0], child[1])])
        best = better(best, byte)
    return best


@kernel
def contradiction(t: Any, distances: Any, a: Any, b: Any, start: Any, first: Any, end: Any, space: Any) -> Any:
    """Return the first position whose byte does not follow from those of its successors, or `end`.

    first, end: the range of positions, numbered within the subspace a-b. start: number of the subspace's first
    position. space: room for two states and all moves.
    """
    for i in range(first, end):
        space[0], space[1] = men_of(t, np.uint64(i), a, b)
        space[2] = _0
        if distances[start + i] != _distance(t, distances, space):
            return i
    return end


def check(database: Database, announce: Announce = silent) -> None:
    """Raise GameforgeError, with the position, if a distance does not follow from those of its successors."""
    distances = database.distances
    space = np.zeros(2 * STATE_WORDS + movegen.MAX_MOVES, np.uint64)
    first_numbers = starts(database.men)
    for subspace, start in zip(subspaces(database.men), first_numbers, strict=False):
        a, b = np.uint64(subspace.own), np.uint64(subspace.opp)
        for first in range(0, subspace.size, _CHUNK):
            end = min(first + _CHUNK, subspace.size)
            i = int(contradiction(database.words, distances, a, b, start, first, end, space))
            if i < end:
                text = position_text(state_of(int(space[0]), int(space[1]), 0, WHITE))
                raise GameforgeError(
                    f"{database.path}: the value of {text}, {distances[start + i]}, "
                    "does not follow from the values after its moves"
                )
            announce(f"checking {database.path.name}", start + end, first_numbers[-1])
