"""The indexer against the rules: every move of a position is counted or named once, and found backwards once."""

import bisect
from collections import Counter

import numpy as np
import pytest
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BOARD
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook import solving
from gameforge_egdb_chinook.indexing import state_index
from gameforge_egdb_chinook.slices import slices
from gameforge_egdb_chinook.units import DraughtsUnits
from gameforge_retrograde.indexer import EXPAND, EXTERNAL_BITS, MAX_MOVES, PREDECESSORS, STORED, Unit

from gameforge.interfaces import LOSS
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.types import Word, WordArray
from gameforge.play.game import Game

UNITS = DraughtsUnits(slices(4))
GAME = UNITS.game_block(UNITS.starts)
RULES = Game(Draughts())
SMALL = [unit for level in UNITS.levels for unit in level if sum(UNITS.sizes[n] for n in unit) < 1_500]
_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def index_of(tables: WordArray, own: Word, opp: Word, kings: Word) -> Word:
    """Index of a state with White to move among all positions."""
    return state_index(at(tables, _0), own, opp, kings, _1)


def moves(unit: Unit, i: int, block: WordArray) -> list[tuple[bool, int]]:
    """(whether it is irreversible, its successor as `expand` names it) for every legal move of a position."""
    words = np.zeros(3, np.uint64)
    solving.write_state(GAME, block, np.uint64(i), words)
    state = tuple(words.tolist())
    found = []
    for move in RULES.legal(state):
        child = RULES.play(state, move)
        successor = LOSS
        if child[0]:
            own, opp, kings = (np.uint64(word) for word in (child[0], child[1], child[2] & int(BOARD)))
            successor = STORED + int(index_of(GAME, own, opp, kings))
        found.append((bool(movegen.irreversible(None, words, np.uint64(move))), successor))
    return found


@pytest.mark.parametrize("conversions", [False, True])
@pytest.mark.parametrize("which", range(12))
def test_moves_match_those_of_the_rules(which: int, conversions: bool) -> None:
    unit = SMALL[np.random.default_rng(which).integers(len(SMALL))] if which else UNITS.levels[0][0]
    expand = compiled_function("expand", UNITS.expand, signature=EXPAND)
    predecessors = compiled_function("predecessors", UNITS.predecessors, signature=PREDECESSORS)
    block = UNITS.unit_block(unit, conversions)
    size = sum(UNITS.sizes[n] for n in unit)
    number = {}
    for n in unit:
        for i in range(UNITS.sizes[n]):
            number[STORED + UNITS.starts[n] + i] = len(number)
    out = np.zeros(MAX_MOVES, np.uint64)
    forwards: Counter[tuple[int, int]] = Counter()
    backwards: Counter[tuple[int, int]] = Counter()
    has_to_capture = set()
    for i in range(size):
        legal = moves(unit, i, block)
        inside = [number[s] for irreversible, s in legal if s in number and not (conversions and irreversible)]
        outside = sorted(s for irreversible, s in legal if s not in number or (conversions and irreversible))
        if any(s == LOSS or _pieces(s) < UNITS.slices[unit[0]].pieces for _, s in legal):
            has_to_capture.add(i)
        counts = int(call(expand, GAME, block, np.uint64(i), out))
        external, internal = counts & ((1 << EXTERNAL_BITS) - 1), counts >> EXTERNAL_BITS
        assert sorted(out[:external].tolist()) == outside
        assert internal == len(inside)
        forwards.update((i, j) for j in inside)
    for j in range(size):
        n = int(call(predecessors, GAME, block, np.uint64(j), out))
        backwards.update((i, j) for i in out[:n].tolist())
    # Taking back a quiet move can lead to a position in which it was illegal because there was a capture.
    assert {edge: n for edge, n in backwards.items() if edge[0] not in has_to_capture} == forwards


def _pieces(successor: int) -> int:
    return UNITS.slices[bisect.bisect_right(UNITS.starts, successor - STORED) - 1].pieces
