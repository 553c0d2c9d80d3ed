"""Positions from random games, and calls of a game's functions that detect illegal writes."""

import functools
import random

import attrs
import numpy as np

from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_rules
from gameforge.kernel.compile.functions import call
from gameforge.kernel.types import WordArray
from gameforge.play.bounds import GUARD, Guarded, block, intact
from gameforge.play.game import Game

_GAMES, _PLIES, _POSITIONS = 12, 150, 250


@attrs.frozen
class Written:
    """The result of a call of gen or play."""

    words: tuple[int, ...]
    """The moves, or the child."""
    spoilt: bool
    """Whether the call changed the state or the rules' data."""
    beyond: bool
    """Whether it wrote or returned more words than the rules state."""


@attrs.frozen
class Line:
    """A random game: moves[i] leads from states[i] to states[i + 1]."""

    states: tuple[State, ...]
    moves: tuple[int, ...]


class Sample:
    """Random games and positions of a game, and its functions on tuples of words. The seed determines the games."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.rules, self.functions = game.rules, game.functions
        self.compiled = vars(game)["compiled"] = compiled_rules(game.functions)  # not refused: the checks report it
        self._seed = seed
        self._before = self.compiled.data.tobytes()
        self._state, self._child = (Guarded(self.functions.words) for _ in range(2))
        self._moves = Guarded(self.functions.max_moves, GUARD)

    def gen(self, state: State, pattern: int = 0) -> Written:
        """Call gen with a block of moves that is filled with `pattern`."""
        most = self.functions.max_moves
        words, moves = self._state.holding(state), self._moves.holding(pattern)
        n = int(call(self.compiled.gen, self.compiled.data, words, moves))
        beyond = n > most or not self._moves.intact()
        return Written(tuple(moves[: min(n, most)].tolist()), self._spoilt(state), beyond)

    def play(self, state: State, move: int, pattern: int = 0) -> Written:
        """Call play with a child that is filled with `pattern`."""
        words, child = self._state.holding(state), self._child.holding(pattern)
        call(self.compiled.play, self.compiled.data, words, np.uint64(move), child)
        return Written(tuple(child[: self.functions.words].tolist()), self._spoilt(state), not self._child.intact())

    def code(self, state: State) -> int:
        """Return the code of the outcome."""
        n = np.uint64(len(self.legal(state)))
        return int(call(self.compiled.outcome, self.compiled.data, self._state.holding(state), n))

    def key(self, state: State) -> int:
        """Return the rules' key of the position, or a hash of all words."""
        if self.functions.key is None:
            return hash(state)
        return int(call(self.compiled.key, self.compiled.data, self._state.holding(state)))

    def irreversible(self, state: State, move: int) -> bool:
        return bool(call(self.compiled.irreversible, self.compiled.data, self._state.holding(state), np.uint64(move)))

    def ended(self, state: State) -> int:
        return int(call(self.compiled.ended, self.compiled.data, self._state.holding(state)))

    def retracts(self, before: int, move: int) -> bool:
        return bool(call(self.compiled.retracts, self.compiled.data, np.uint64(before), np.uint64(move)))

    def noisy(self, state: State, moves: list[int]) -> tuple[int, list[int]]:
        """Return the number of noisy moves, and the moves in their new order."""
        listed, words = block(moves), self._state.holding(state)
        n = int(call(self.compiled.noisy, self.compiled.data, words, listed, np.uint64(len(moves))))
        return n, listed[: len(moves)].tolist()

    @functools.lru_cache(maxsize=50_000)  # noqa: B019  a sample lives as long as its checks
    def legal(self, state: State) -> tuple[int, ...]:
        """Return the legal moves."""
        return self.gen(state).words

    @functools.lru_cache(maxsize=50_000)  # noqa: B019
    def after(self, state: State, move: int) -> State:
        """Return the state after a legal move."""
        return self.play(state, move).words

    @functools.cached_property
    def lines(self) -> list[Line]:
        """Random games from the initial state, up to their end or to 150 plies."""
        return [self.line(number) for number in range(_GAMES)]

    @functools.cached_property
    def everywhere(self) -> list[State]:
        """All different states of these games, each game from its end to its beginning."""
        return list(dict.fromkeys(state for line in self.lines for state in reversed(line.states)))

    @functools.cached_property
    def states(self) -> list[State]:
        """Up to 250 of these states: the initial one, the last state of each game, then a random choice."""
        found = sorted(self.everywhere)
        first, last = self.rules.initial(), [line.states[-1] for line in self.lines]
        random.Random(self._seed).shuffle(found)
        return list(dict.fromkeys([first, *last, *found]))[:_POSITIONS]

    @functools.cached_property
    def running(self) -> list[State]:
        """The states in which the game is running."""
        return [state for state in self.states if self.is_running(state)]

    def is_running(self, state: State) -> bool:
        """Whether the game is running in this state."""
        return bool(self.legal(state)) and not self.code(state)

    @functools.lru_cache(maxsize=1)  # noqa: B019
    def steps(self) -> list[tuple[State, int, State]]:
        """Return (state, move, child) for each legal move in the running states."""
        return [(state, move, self.after(state, move)) for state in self.running for move in self.legal(state)]

    def text(self, state: State) -> str:
        """Format the words of a state for a message."""
        return f"state ({', '.join(f'{word:#x}' for word in state)})"

    def line(self, number: int) -> Line:
        """Return random game `number`, which depends only on the number and the seed."""
        rng = random.Random(f"{self._seed} {number}")
        state = self.rules.initial()
        states, moves = [state], list[int]()
        while len(moves) < min(_PLIES, self.rules.draws.max_plies):
            legal = self.legal(state)
            if not legal or self.code(state):
                break
            moves.append(rng.choice(legal))
            state = self.after(state, moves[-1])
            states.append(state)
        return Line(tuple(states), tuple(moves))

    def _spoilt(self, state: State) -> bool:
        if self._state.holds(state) and self.compiled.data.tobytes() == self._before:
            return False
        self.compiled.data[:] = np.frombuffer(self._before, self.compiled.data.dtype)
        return True


@functools.lru_cache(maxsize=4)
def sample_of(game: Game, seed: int) -> Sample:
    """Return the sample of a Game; the checks of all its components share one, because games in Python take long."""
    return Sample(game, seed)


def same_words(words: WordArray, state: State) -> bool:
    """Whether a block still holds this state, and nothing was written after it."""
    return tuple(words[: len(state)].tolist()) == state and intact(words, len(state))
