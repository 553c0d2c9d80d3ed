"""Random positions, and the kernel functions as Python calls, for the tests of this plugin."""

import random
from typing import Any

import numpy as np
from gameforge_othello.movegen import CENTRE, MAX_MOVES, START, rules_block, state_of
from gameforge_othello.notation import Record
from gameforge_othello.notation import played as played_in
from gameforge_othello.rules import Othello
from hypothesis import strategies as st

import gameforge as gf
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_rules
from gameforge.kernel.compile.functions import Function

GAME = gf.game("othello")
parse_position = GAME.parse_position
WORDS = st.integers(0, 2**64 - 1)


def played(text: str, start: State = START) -> Record:
    """Replay a transcript."""
    return played_in(GAME, text, start)


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Draw discs on any squares, from a few to a full board; the centre is occupied."""
    occupied = draw(WORDS) & draw(st.one_of(st.just(2**64 - 1), WORDS)) | draw(st.one_of(st.just(0), WORDS)) | CENTRE
    black = draw(WORDS) & occupied
    return state_of(black, occupied & ~black, draw(st.integers(0, 1)))


@st.composite
def reached(draw: st.DrawFn) -> State:
    """Draw a position that occurs in a random game."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    state = GAME.rules.initial()
    for _ in range(draw(st.integers(0, 64))):
        legal = GAME.legal(state)
        if not legal:
            break
        state = GAME.play(state, rng.choice(legal))
    return state


class Kernel:
    """gen, play and outcome of rules or of a module of plain functions, on tuples of integers."""

    def __init__(self, functions: Any, komi: int = 0) -> None:
        self.functions = functions
        self._moves = np.zeros(MAX_MOVES, np.uint64)
        self._data = rules_block(komi)

    def legal(self, state: State) -> list[int]:
        n = self._call("gen", _words(state), self._moves)
        return [int(move) for move in self._moves[: int(n)]]

    def play(self, state: State, move: int) -> State:
        child = np.zeros(3, np.uint64)
        self._call("play", _words(state), np.uint64(move), child)
        return tuple(int(word) for word in child)

    def outcome(self, state: State, n_moves: int) -> int:
        return int(self._call("outcome", _words(state), np.uint64(n_moves)))

    def noisy(self, state: State) -> tuple[int, list[int]]:
        """Return (number of noisy moves, moves in their new order)."""
        n = self._call("gen", _words(state), self._moves)
        found = self._call("noisy", _words(state), self._moves, np.uint64(n))
        return int(found), [int(move) for move in self._moves[: int(n)]]

    def _call(self, name: str, *arguments: Any) -> Any:
        function = getattr(self.functions, name)
        if isinstance(function, Function):
            return function.python(*(_as_c(argument) for argument in (self._data, *arguments)))
        with np.errstate(over="ignore"):
            return function(self._data, *arguments)


def _words(state: State) -> Any:
    return np.array(state, np.uint64)


def _as_c(argument: Any) -> int:
    return argument.ctypes.data if isinstance(argument, np.ndarray) else int(argument)


def compiled(komi: int = 0) -> Kernel:
    return Kernel(compiled_rules(Othello(komi=komi).functions()), komi)
