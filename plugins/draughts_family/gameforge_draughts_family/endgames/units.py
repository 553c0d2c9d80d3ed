"""The indexer for `gameforge.retrograde`: twins of slices, with forward and backward moves.

A unit is a slice and its twin, or a slice that is its own twin. Its block holds the number of slices, then for each of
them its first number in the unit, its size and the code of its material, and from _STATE on workspace.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gameforge.kernel.abi import LOSS
from gameforge.kernel.bits import at, popcount
from gameforge.kernel.compile.jit import inline
from gameforge.retrograde.indexer import EXTERNAL_BITS, STORED, Unit, Words
from gameforge_draughts_family import movegen
from gameforge_draughts_family.block import FLYING, MEN_STEPS, SQUARES, max_moves
from gameforge_draughts_family.board import STATE_WORDS, board_of
from gameforge_draughts_family.captures import TAKEN_SHIFT, step
from gameforge_draughts_family.endgames.numbers import RULES, code, number, number_in_slice, set_up, tables
from gameforge_draughts_family.endgames.slices import deciding, slices, starts, twin
from gameforge_draughts_family.variant import Variant

_0, _1, _2 = (np.uint64(n) for n in range(3))
_FIRST, _SIZE, _CODE = (np.uint64(n) for n in (1, 2, 3))
_ROW = np.uint64(3)
_STATE, _CHILD, _MOVES = (np.uint64(n) for n in (8, 8 + STATE_WORDS, 8 + 2 * STATE_WORDS))
_STORED, _LOSS = np.uint64(STORED), np.uint64(LOSS)
_BLACK = _1
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _set_up(game: Any, unit: Any, i: Any) -> Any:
    """Write position i of a unit to its workspace; return the row of its slice in the block."""
    row = _ROW if i >= unit[_SIZE] else _0
    set_up(game, i - unit[_FIRST + row], unit[_CODE + row], at(unit, _STATE))
    return row


def expand(game: Any, unit: Any, i: Any, out: Any) -> Any:
    _set_up(game, unit, i)
    rules, s, child, moves = at(game, RULES), at(unit, _STATE), at(unit, _CHILD), at(unit, _MOVES)
    n = _gen(rules, s, moves)
    external, inside = _0, np.int64(0)
    for j in range(n):
        move = moves[j]
        _play(rules, s, move, child)
        if move >> TAKEN_SHIFT == _0 and popcount(child[2]) == popcount(s[2]):
            inside += 1
            continue
        if child[0] == _0:
            out[external] = _LOSS
        else:
            out[external] = _STORED + number(game, child[0], child[1], child[2], _BLACK)
        external += _1
    return np.int64(external) + (inside << EXTERNAL_BITS)


def predecessors(game: Any, unit: Any, i: Any, out: Any) -> Any:
    """Write the positions before a quiet move that crowned no man.

    Some of them have a capture, so that the move would have been illegal; their values are known beforehand, since all
    captures leave the unit.
    """
    row = _set_up(game, unit, i)
    rules, s = at(game, RULES), at(unit, _STATE)
    own, opp, kings = s[0], s[1], s[2]
    empty = rules[SQUARES] & ~(own | opp)
    first = unit[_FIRST + _ROW] if unit[_0] == _2 and row == _0 else _0
    n = _0
    moved = opp
    while moved:
        piece = moved & (_0 - moved)
        moved ^= piece
        is_king = kings & piece
        directions = np.uint64(15) if is_king else rules[MEN_STEPS + _BLACK]
        direction = _0
        while directions >> direction:
            if (directions >> direction) & _1:
                origin = step(rules, piece, direction ^ _1) & empty
                while origin:
                    crowned = kings ^ (piece | origin) if is_king else kings
                    out[n] = first + number_in_slice(game, (opp ^ piece) | origin, own, crowned, _BLACK)
                    n += _1
                    if is_king == _0 or rules[FLYING] == _0:
                        break
                    origin = step(rules, origin, direction ^ _1) & empty
            direction += _1
    return np.int64(n)


class FamilyUnits:
    """All slices of a variant with up to `pieces` pieces, as a gameforge.retrograde.indexer.Indexer."""

    def __init__(self, variant: Variant, pieces: int) -> None:
        self.variant, self.pieces = deciding(variant), pieces
        self.expand, self.predecessors = expand, predecessors
        self.slices = slices(self.variant, pieces)
        self.sizes = [s.size for s in self.slices]
        self.starts = starts(self.variant, pieces)
        numbers = {s.material: n for n, s in enumerate(self.slices)}
        levels: dict[tuple[int, int], list[Unit]] = {}
        for n, s in enumerate(self.slices):
            other = numbers[twin(s.material)]
            if n <= other:
                levels.setdefault((s.pieces, s.men), []).append((n,) if n == other else (n, other))
        self.levels = [levels[key] for key in sorted(levels)]

    def game_block(self, places: Sequence[int]) -> Words:
        return tables(self.variant, self.pieces, places)

    def unit_block(self, unit: Unit, conversions: bool = False) -> Words:
        """Make the block of a unit; raises ValueError for conversions, which these databases do not count."""
        if conversions:
            raise ValueError("endings of the draughts family have distances to the end only")
        block = np.zeros(int(_MOVES) + max_moves(board_of(self.variant)), np.uint64)
        block[0] = len(unit)
        first = 0
        for place, n in enumerate(unit):
            size = self.slices[n].size
            block[1 + 3 * place : 4 + 3 * place] = first, size, code(self.slices[n].material)
            first += size
        return block
