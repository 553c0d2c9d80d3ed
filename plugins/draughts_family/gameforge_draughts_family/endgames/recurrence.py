"""Verification: every distance of a database must follow from those of its successors by the rules' own functions."""

from typing import Any

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.retrograde.distance_bytes import LOST, better
from gameforge_draughts_family import movegen
from gameforge_draughts_family.block import max_moves
from gameforge_draughts_family.board import STATE_WORDS, board_of
from gameforge_draughts_family.endgames.database import Database, state_at
from gameforge_draughts_family.endgames.numbers import RULES, code, number, set_up
from gameforge_draughts_family.positions import FamilyPositions
from gameforge_draughts_family.rules import FamilyRules

_0, _1 = np.uint64(0), np.uint64(1)
_CHILD, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_BLACK = _1
_CHUNK = 1 << 20
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _distance(t: Any, distances: Any, space: Any) -> Any:
    """Compute the distance byte of the state in space[0:4] from those of its successors."""
    rules, s, child, moves = at(t, RULES), at(space, _0), at(space, _CHILD), at(space, _MOVES)
    n = _gen(rules, s, moves)
    best = np.int64(LOST)
    for i in range(n):
        _play(rules, s, moves[i], child)
        byte = np.int64(LOST)
        if child[0] != _0:
            byte = np.int64(distances[number(t, child[0], child[1], child[2], _BLACK)])
        best = better(best, byte)
    return best


@kernel
def contradiction(t: Any, distances: Any, material: Any, start: Any, first: Any, end: Any, space: Any) -> Any:
    """Return the first position whose byte does not follow from those of its successors, or `end`.

    first, end: the range of positions, numbered within the slice. start: number of the slice's first position. space:
    room for two states and all moves.
    """
    for i in range(first, end):
        set_up(t, np.uint64(i), material, space)
        if distances[start + i] != _distance(t, distances, space):
            return i
    return end


def check(database: Database, rules: FamilyRules, announce: Announce = silent) -> None:
    """Raise GameforgeError, with the position, if a distance does not follow from those of its successors."""
    units, distances = database.units, database.distances
    space = np.zeros(2 * STATE_WORDS + max_moves(board_of(database.variant)), np.uint64)
    for s, start in zip(units.slices, units.starts, strict=False):
        for first in range(0, s.size, _CHUNK):
            end = min(first + _CHUNK, s.size)
            i = int(contradiction(database.words, distances, np.uint64(code(s.material)), start, first, end, space))
            if i < end:
                text = FamilyPositions(rules.settings()).position_text(state_at(database.words, s, i))
                raise GameforgeError(
                    f"{database.path}: the value of {text}, {distances[start + i]}, "
                    "does not follow from the values after its moves"
                )
            announce(f"checking {database.path.name}", start + end, units.starts[-1])
