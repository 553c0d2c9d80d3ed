"""A game that OpenSpiel loads, and its states by the history of their game."""

import functools
import threading
from collections.abc import Iterable
from typing import Any

import pyspiel

from gameforge.errors import GameforgeError, near
from gameforge_interop_openspiel.history import MOST_CODES

_MOST = 20_000
"""Maximum number of states that are kept."""

Spiel = Any
"""A state of OpenSpiel, which has no types for Python."""


def loaded_game(name: str) -> Any:
    """Load a game of OpenSpiel by its name, with parameters as in `breakthrough(rows=6,columns=6)`.

    Raises GameforgeError, with the reason, if there is none or if it cannot be played here.
    """
    plain = name.partition("(")[0]
    known = pyspiel.registered_names()
    if plain not in known:
        raise GameforgeError(
            f"OpenSpiel has no game {plain!r}{near(plain, known)}; the README of the plugin lists those that fit"
        )
    try:
        game = pyspiel.load_game(name)
    except Exception as error:  # what OpenSpiel raises depends on the mistake
        raise GameforgeError(f"OpenSpiel cannot load {name!r}: {_line(error)}") from None
    problem = _problem(game)
    if problem:
        raise GameforgeError(
            f"{problem}; a game must be sequential, zero-sum, for two players, with perfect information and no chance"
        )
    return game


def _line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _problem(game: Any) -> str:
    """Return why a game cannot be played here; "" if it can."""
    kind, words = game.get_type(), pyspiel.GameType
    if kind.dynamics != words.Dynamics.SEQUENTIAL:
        return "players move at the same time, or there is no tree of moves"
    if kind.chance_mode != words.ChanceMode.DETERMINISTIC:
        return "the game has chance"
    if kind.information != words.Information.PERFECT_INFORMATION:
        return "the game has hidden information"
    if game.num_players() != 2:
        return f"the number of players is {game.num_players()}"
    if kind.utility != words.Utility.ZERO_SUM:
        return "the game is not zero-sum"
    if game.num_distinct_actions() >= MOST_CODES:
        return f"it has {game.num_distinct_actions()} actions, and at most {MOST_CODES - 1} fit"
    return ""


class _Own(threading.local):
    """The states of one thread, which may change them."""

    def __init__(self) -> None:
        self.states: dict[bytes, Spiel] = {}


class SpielGame:
    """A loaded game, and its states by the history of their game.

    A thread's state proceeds in place with the game, as in random games. A search that returns to an earlier state
    finds it missing; it is made again from the longest history that is kept, and is then kept itself, unchanged.
    """

    def __init__(self, name: str) -> None:
        self.game = loaded_game(name)
        self.start: Spiel = self.game.new_initial_state()
        self.actions: int = self.game.num_distinct_actions()
        """Number of actions; also the code of a pass."""
        self.first: int = self.start.current_player()
        """OpenSpiel's number of the first mover."""
        self._own = _Own()
        self._kept: dict[bytes, Spiel] = {b"": self.start}

    def after(self, history: bytes) -> Spiel:
        """Return the state after plies of 16 bits each, for a look before the next call."""
        states = self._own.states
        state = states.get(history)
        if state is None:
            state = states.pop(history[:-2], None) or self._made(history[:-2])
            if history:
                self.apply(state, history[-2] | history[-1] << 8)
            if len(states) >= _MOST:
                states.clear()
            states[history] = state
        return state

    def _made(self, history: bytes) -> Spiel:
        """Return a state of the caller's own."""
        known = len(history)
        while (state := self._kept.get(history[:known])) is None:
            known -= 2
        if known < len(history):
            state = state.clone()
            for i in range(known, len(history), 2):
                self.apply(state, history[i] | history[i + 1] << 8)
            if len(self._kept) >= _MOST:
                self._kept = {b"": self.start}
            self._kept[history] = state
        return state.clone()

    def apply(self, state: Spiel, ply: int) -> None:
        """Change a state of the caller's own by a ply; a pass changes nothing."""
        if ply != self.actions:
            state.apply_action(ply)

    def legal(self, state: Spiel, plies: int) -> list[int]:
        """Return the codes of the legal moves after a number of plies: actions, or the pass of the side that waits."""
        mover = state.current_player()
        if mover < 0:
            return []
        return state.legal_actions() if mover == self.first ^ plies & 1 else [self.actions]

    def plies(self, history: Iterable[int]) -> list[int]:
        """Return the plies of a game that OpenSpiel records by its actions, without passes.

        Raises GameforgeError for an action that is not legal.
        """
        plies: list[int] = []
        state = self.start.clone()
        for number, action in enumerate(history, 1):
            legal = state.legal_actions()
            if action not in legal:
                raise GameforgeError(f"action {number}, {action}, is not legal; legal: {', '.join(map(str, legal))}")
            if state.current_player() != self.first ^ len(plies) & 1:
                plies.append(self.actions)
            plies.append(action)
            state.apply_action(action)
        return plies

    def text(self, state: Spiel, ply: int) -> str:
        """Return the text of a move."""
        return "pass" if ply == self.actions else action_text(state, ply)


def action_text(state: Spiel, action: int) -> str:
    """Return OpenSpiel's text of an action, with `_` for spaces."""
    return "_".join(str(state.action_to_string(state.current_player(), action)).split())


@functools.cache
def spiel_game(name: str) -> SpielGame:
    """Return the game of this name, which is loaded once in a process."""
    return SpielGame(name)
