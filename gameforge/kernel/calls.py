"""Rules, games and searches for callers in Python, entered at little cost.

`RulesCalls` makes single calls of the rules' functions. `Stepper` plays the moves of one game. `Branches` plays a move
after any earlier position, from what that position remembers of its game. `Thinker` searches with one player.
"""

import ctypes
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import attrs
import numpy as np

from gameforge.interfaces.rules import MAX_REASONS, RUNNING, DrawRules, State
from gameforge.kernel import slots
from gameforge.kernel.abi import SCORE, WORD, WORDS
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.bits import U0, at
from gameforge.kernel.compile.functions import compiled_function, failures_of, python_of, raise_failure
from gameforge.kernel.compile.jit import COMPILED, wrapping
from gameforge.kernel.compile.launch import run_apart
from gameforge.kernel.context import CompiledPlayer, CompiledRules
from gameforge.kernel.gameplay import GameWorkspace, advance, begin, legal, searched
from gameforge.kernel.packed import addresses, game_at, player_at
from gameforge.kernel.types import Score, Word, Words


class _Scratch(threading.local):
    """Blocks through which Python passes words to the rules' functions; each thread has its own."""

    def __init__(self, words: int, max_moves: int) -> None:
        self.state: Any = (ctypes.c_uint64 * words)()  # its type would not take tuples
        self.child = (ctypes.c_uint64 * words)()
        self.moves = (ctypes.c_uint64 * max_moves)()


class RulesCalls:
    """gen, play and outcome with states as tuples of words; any thread may call them."""

    def __init__(self, rules: CompiledRules) -> None:
        self._keep = rules
        self._scratch = _Scratch(int(rules.words), int(rules.max_moves))
        functions = rules.gen, rules.play, rules.outcome
        self._failures = failures_of(functions)
        self._gen, self._play, self._outcome = map(python_of, functions)
        self._data = rules.data.ctypes.data if COMPILED else rules.data
        self._block = ctypes.addressof if COMPILED else np.ctypeslib.as_array

    def gen(self, state: tuple[int, ...]) -> list[int]:
        """Return the legal moves of a state."""
        scratch = self._scratch
        scratch.state[:] = state
        n = int(self._gen(self._data, self._block(scratch.state), self._block(scratch.moves)))
        raise_failure(self._failures)
        return scratch.moves[:n]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Return the state after a move."""
        scratch = self._scratch
        scratch.state[:] = state
        self._play(self._data, self._block(scratch.state), np.uint64(move), self._block(scratch.child))
        raise_failure(self._failures)
        return tuple(scratch.child)

    def outcome(self, state: tuple[int, ...], n_moves: int) -> int:
        """Return the outcome code of a state that has n_moves legal moves."""
        scratch = self._scratch
        scratch.state[:] = state
        code = int(self._outcome(self._data, self._block(scratch.state), np.uint64(n_moves)))
        raise_failure(self._failures)
        return code


BEGIN = (1 << 64) - 1
"""In place of a move: begin a game at the state in GameWorkspace.states."""
_BEGIN = np.uint64(BEGIN)
_ANSWER = 0
"""Index in a block of addresses of the number of legal moves."""


def step(block: Words, m: Word) -> Word:
    """Play a legal move, or BEGIN; write the number of legal moves to the block, return the code of the state."""
    game = game_at(block)
    if m == _BEGIN:
        begin(game, at(game.states, U0))
    else:
        advance(game, m)
    n, code = legal(game)
    block[_ANSWER] = n
    return np.uint64(code)


class Stepper:
    """`step` for one workspace."""

    def __init__(self, game: GameWorkspace) -> None:
        self._game = game
        if COMPILED:
            self._step = python_of(compiled_function("step", step, signature=WORD(WORDS, WORD)))
            self._block: Any = addresses(game)
            self._first: Any = self._block.ctypes.data
            self._answers: Any = _bytes(self._block).cast("Q")  # faster to read than numpy's arrays
        else:
            self._block = self._first = self._answers = [0, game]
            self._step = wrapping(step)
        self._failures = failures_of(game.rules)

    def __call__(self, move: int) -> tuple[int, int]:
        """Play a legal move, or BEGIN; return (the number of legal moves, the code of the state)."""
        code = int(self._step(self._first, move if COMPILED else np.uint64(move)))
        raise_failure(self._failures)
        return int(self._answers[_ANSWER]), code


class Facts(NamedTuple):
    """What the rules say about a position, and what it remembers of its game."""

    moves: tuple[int, ...]
    """The legal moves."""
    code: int
    """The code of the state, with draws that depend on earlier moves."""
    record: bytes
    """GameWorkspace.counters and the used part of GameWorkspace.history, from which the game can be continued."""

    @property
    def decided(self) -> bool:
        """Whether the state itself ends the game, whatever moves led to it."""
        return self.code != RUNNING and self.code >> 2 < MAX_REASONS


_WORD = 8
"""Bytes of a word."""
_KEYS = slots.COUNTERS * _WORD
"""Byte of a record at which the history begins: the number of its keys."""
_NUMBER = struct.Struct("Q")


def _bytes(array: Any) -> memoryview:
    return memoryview(array).cast("B")


class _Room:
    """The workspace in which one thread continues games, and Python's views of it."""

    def __init__(self, rules: CompiledRules, draws: DrawRules, plies: int) -> None:
        """plies: number of plies that a game may have, which may be more than the draw rules allow."""
        game = game_workspace(rules, attrs.evolve(draws, max_plies=plies))
        record = np.concatenate([game.counters.view(np.uint64), game.history])  # one block, to be copied at once
        counters, history = record[: slots.COUNTERS].view(np.int64), record[slots.COUNTERS :]
        game = game._replace(counters=counters, history=history)
        game.draws[slots.DRAW_MAX_PLIES] = draws.max_plies
        self.plies = plies
        self.played = game.played
        self.step = Stepper(game)
        self.state = struct.Struct(f"{rules.words}Q")
        self.states, self.record, self._moves = _bytes(game.states), _bytes(record), _bytes(game.moves)
        self._lists = [struct.Struct(f"{n}Q") for n in range(int(rules.max_moves) + 1)]

    def look(self, move: int) -> tuple[State, Facts]:
        """Play a move, or BEGIN; return the state that it leads to, and the facts about it."""
        n, code = self.step(move)
        (keys,) = _NUMBER.unpack_from(self.record, _KEYS)
        facts = Facts(self._lists[n].unpack_from(self._moves), code, bytes(self.record[: _KEYS + _WORD * (1 + keys)]))
        return self.state.unpack_from(self.states), facts


class Branches:
    """Games that continue from any earlier position, as `replay` would judge them; any thread may use them."""

    def __init__(self, rules: CompiledRules, draws: DrawRules) -> None:
        self._rules = rules
        self._draws = draws
        self._rooms = threading.local()

    def _room(self, plies: int) -> _Room:
        """Return this thread's workspace, with room for that many plies."""
        room: _Room | None = getattr(self._rooms, "room", None)
        if room is None or room.plies < plies:
            room = self._rooms.room = _Room(self._rules, self._draws, max(self._draws.max_plies, 2 * plies))
        return room

    def begin(self, state: State) -> Facts:
        """Begin a game at a state."""
        room = self._room(0)
        room.state.pack_into(room.states, 0, *state)
        return room.look(BEGIN)[1]

    def play(self, state: State, facts: Facts, before: int | None, move: int) -> tuple[State, Facts]:
        """Play a legal move; return the state that it leads to, and the facts about it.

        state, facts: where the move is made. before: the move two plies earlier, which the move may take back.
        """
        plies = _NUMBER.unpack_from(facts.record, slots.PLIES * _WORD)[0]
        room = self._room(plies + 1)
        room.state.pack_into(room.states, 0, *state)
        room.record[: len(facts.record)] = facts.record
        if before is not None:
            room.played[plies - 2] = before
        return room.look(move)


def think_at(block: Words, state: Words) -> Score:
    """Search a state with the player of a block of addresses, as `searched` does."""
    return searched(player_at(block), state)[0]


_THINK_SIGNATURE = SCORE(WORDS, WORDS)


class Thinker:
    """The searches of one player for callers in Python."""

    def __init__(self, game: GameWorkspace, player: CompiledPlayer) -> None:
        """game: the workspace with which the player was made."""
        self._player = player
        self._state = np.zeros(int(game.rules.words), np.uint64)
        self._counters, self._history, self._played = _bytes(game.counters), _bytes(game.history), game.played
        self._start = game.states[2 * int(game.rules.words) :]
        self._failures = failures_of((game.rules, player))
        if COMPILED:
            block: Any = addresses(player)
            self._keep: Any = block, compiled_function("think", think_at, signature=_THINK_SIGNATURE)
            # CFUNCTYPE releases the GIL, so that other threads run during the search
            function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)(
                self._keep[1].__wrapper_address__()
            )
            first, state = block.ctypes.data, self._state.ctypes.data
            self._think: Callable[[], float] = lambda: function(first, state)
        else:
            plain = wrapping(think_at)
            uncompiled: Any = [0, player]
            self._think = lambda: float(plain(uncompiled, self._state))

    def recall(self, start: State, record: bytes, moves: Sequence[int]) -> None:
        """Let the player know the game that led to a position: its start, its record (Facts.record) and all its moves.

        The workspace must have room for the moves.
        """
        self._start[:] = start
        self._played[: len(moves)] = moves
        self._counters[:] = record[:_KEYS]
        self._history[: len(record) - _KEYS] = record[_KEYS:]

    def forget(self) -> None:
        """Clear the memory that the player keeps between the searches of a game."""
        self._player.context.memory.fill(0)

    def search(self, state: State, nanoseconds: int) -> float:
        """Search a state; return the score. The rest of the answer is in the player's `out`.

        nanoseconds: what the search may take; 0: the searcher's own limit applies. Ctrl-C ends the search.
        """
        control = self._player.context.control
        self._state[:] = state
        control[slots.ASKED] = time.monotonic_ns()
        control[slots.BUDGET] = nanoseconds
        return run_apart(control, self._think, self._failures)
