"""The indexer for `gameforge.retrograde`: units of subspaces, with forward and backward moves.

A move without a removal leads from a-b to b-a, so these two form a unit. A removal leads to b-1 - a, which is solved
earlier, or wins at once if b-1 is 2. The block of a unit holds the number of subspaces (1 or 2), for each of them its
first number in the unit, a and b, and from _STATE on a state of the rules.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gameforge.kernel.abi import LOSS
from gameforge.kernel.bits import at, popcount
from gameforge.kernel.compile.jit import inline
from gameforge.retrograde.indexer import EXTERNAL_BITS, STORED, Unit, Words
from gameforge_morris import movegen
from gameforge_morris.board import LEAST_MEN
from gameforge_morris.endgames.subspaces import (
    RULES,
    men_of,
    number,
    number_in_subspace,
    starts,
    subspaces,
    tables,
)
from gameforge_morris.lines import BOARD, clockwise, completes, counterclockwise, inwards, outwards

_0, _1, _2, _3, _4, _5, _6 = (np.uint64(n) for n in range(7))
_LEAST_MEN = np.uint64(LEAST_MEN)
_STORED, _LOSS = np.uint64(STORED), np.uint64(LOSS)
_STATE = np.uint64(8)
_gen = inline(movegen.gen)


@inline
def _set_up(game: Any, unit: Any, i: Any) -> Any:
    """Return (own men, opponent's men) of position i of a unit."""
    second = unit[_0] == _2 and i >= unit[_4]
    if second:
        return men_of(game, i - unit[_4], unit[_5], unit[_6])
    return men_of(game, i - unit[_1], unit[_2], unit[_3])


def expand(game: Any, unit: Any, i: Any, out: Any) -> Any:
    own, opp = _set_up(game, unit, i)
    state = at(unit, _STATE)
    state[_0], state[_1], state[_2] = own, opp, _0
    n = _gen(at(game, RULES), state, out)
    external, inside = _0, np.int64(0)
    for j in range(n):
        move = out[j]
        if move >= movegen.NONE_REMOVED:
            inside += 1
            continue
        start, to = (move >> movegen.FROM_SHIFT) & movegen.POINT_MASK, move & movegen.POINT_MASK
        left = opp ^ (_1 << (move >> movegen.REMOVED_SHIFT))
        if popcount(left) < _LEAST_MEN:
            out[external] = _LOSS
        else:
            out[external] = _STORED + number(game, left, own ^ (_1 << start) ^ (_1 << to))
        external += _1
    return np.int64(external) + (inside << EXTERNAL_BITS)


def predecessors(game: Any, unit: Any, i: Any, out: Any) -> Any:
    """Write the positions before a move without a removal: the man that has moved is not in a mill."""
    own, opp = _set_up(game, unit, i)
    free = BOARD & ~(own | opp)
    flown = popcount(opp) == _LEAST_MEN
    first = unit[_4] if unit[_0] == _2 and i < unit[_4] else unit[_1]
    moved = opp & ~completes(opp)
    n = _0
    while moved:
        to = moved & (_0 - moved)
        moved ^= to
        origins = free
        if not flown:
            origins &= clockwise(to) | counterclockwise(to) | inwards(to) | outwards(to)
        while origins:
            start = origins & (_0 - origins)
            origins ^= start
            out[n] = first + number_in_subspace(game, (opp ^ to) | start, own)
            n += _1
    return np.int64(n)


class MorrisUnits:
    """All subspaces with 3 to `men` men of each side, as a gameforge.retrograde.indexer.Indexer."""

    def __init__(self, men: int) -> None:
        self.men = men
        self.expand, self.predecessors = expand, predecessors
        self.subspaces = subspaces(men)
        self.sizes = [subspace.size for subspace in self.subspaces]
        self.starts = starts(men)
        numbers = {(s.own, s.opp): n for n, s in enumerate(self.subspaces)}
        units: dict[int, list[Unit]] = {}
        for (own, opp), n in numbers.items():
            if own <= opp:
                unit = (n,) if own == opp else (n, numbers[opp, own])
                units.setdefault(own + opp, []).append(unit)
        self.levels = [units[total] for total in sorted(units)]

    def game_block(self, places: Sequence[int]) -> Words:
        return tables(self.men, places)

    def unit_block(self, unit: Unit, conversions: bool = False) -> Words:
        """Make the block of a unit; `conversions` has no effect, as irreversible moves leave the unit anyway."""
        block = np.zeros(int(_STATE) + 3, np.uint64)
        block[0] = len(unit)
        first = 0
        for place, n in enumerate(unit):
            subspace = self.subspaces[n]
            block[1 + 3 * place : 4 + 3 * place] = first, subspace.own, subspace.opp
            first += subspace.size
        return block
