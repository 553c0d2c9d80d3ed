"""Random positions, and the kernel functions as Python calls, for the tests of this plugin."""

from typing import Any

import numpy as np
from gameforge_morris.movegen import MAX_MOVES, NAMES, hands, men, state_of, to_move
from gameforge_morris.notation import MorrisPositions
from hypothesis import strategies as st
from morris_reference import Position

from gameforge.interfaces.rules import State

MEN = 9
POSITIONS = MorrisPositions(MEN, alternating=True)


@st.composite
def positions(draw: st.DrawFn, most: int = MEN) -> State:
    """Draw any position of either phase; the side that is not to move has three men or more."""
    side = draw(st.integers(0, 1))
    left = draw(st.one_of(st.just(0), st.integers(0, 2 * most - 6)))
    left -= (left + side) % 2 if left else 0
    own_hand, opp_hand = (left + 1) // 2, left // 2
    own = draw(st.integers(max(0, 2 - own_hand), most - own_hand))
    opp = draw(st.integers(max(0, 3 - opp_hand), most - opp_hand))
    points = draw(st.permutations(range(24)))[: own + opp]
    first, second = (sum(1 << point for point in part) for part in (points[:own], points[own:]))
    return state_of(second, first, left, side) if side else state_of(first, second, left, side)


@st.composite
def lasker_positions(draw: st.DrawFn, most: int = 10) -> State:
    """Draw any position of Lasker Morris; the side that is not to move has three men or more."""
    side = draw(st.integers(0, 1))
    in_hand = draw(st.tuples(st.integers(0, most), st.integers(0, most)))
    own = draw(st.integers(max(0, 2 - in_hand[side]), most - in_hand[side]))
    opp = draw(st.integers(max(0, 3 - in_hand[1 - side]), most - in_hand[1 - side]))
    points = draw(st.permutations(range(24)))[: own + opp]
    first, second = (sum(1 << point for point in part) for part in (points[:own], points[own:]))
    left = sum(in_hand)
    white, black = (second, first) if side else (first, second)
    return state_of(white, black, left, side, in_hand[side] - (left + 1) // 2)


def as_reference(state: State) -> Position:
    """Return the position in the form of the reference."""
    placed = {NAMES[bit]: side for side, word in enumerate(men(state)) for bit in range(24) if word >> bit & 1}
    return placed, hands(state), to_move(state)


class Plain:
    """gen, play, ... of a module of plain functions, on tuples of integers."""

    def __init__(self, functions: Any, flying: bool = True) -> None:
        self.functions = functions
        self._data = np.array([flying], np.uint64)

    def legal(self, state: State) -> list[int]:
        moves = np.zeros(MAX_MOVES, np.uint64)
        n = self._call("gen", _words(state), moves)
        return [int(move) for move in moves[: int(n)]]

    def play(self, state: State, move: int) -> State:
        child = np.zeros(3, np.uint64)
        self._call("play", _words(state), np.uint64(move), child)
        return tuple(int(word) for word in child)

    def outcome(self, state: State, n_moves: int) -> int:
        return int(self._call("outcome", _words(state), np.uint64(n_moves)))

    def irreversible(self, state: State, move: int) -> bool:
        return bool(self._call("irreversible", _words(state), np.uint64(move)))

    def retracts(self, before: int, move: int) -> bool:
        return bool(self._call("retracts", np.uint64(before), np.uint64(move)))

    def noisy(self, state: State, moves: list[int]) -> tuple[int, list[int]]:
        """Return the number of noisy moves, and all moves in their new order."""
        words = np.array(moves, np.uint64)
        n = self._call("noisy", _words(state), words, np.uint64(len(moves)))
        return int(n), [int(move) for move in words]

    def _call(self, name: str, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return getattr(self.functions, name)(self._data, *arguments)


def _words(state: State) -> Any:
    return np.array(state, np.uint64)
