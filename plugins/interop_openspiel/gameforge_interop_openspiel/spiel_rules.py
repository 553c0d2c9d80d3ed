"""Games of OpenSpiel as rules."""

import ctypes
import functools
from array import array
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.config.validation import whole
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.capabilities import Drawing
from gameforge.interfaces.rules import DrawRules, RulesFunctions, State
from gameforge_interop_openspiel.history import play, plies_of, read, state_of, words_for, write
from gameforge_interop_openspiel.outcome import CResult, code_of, outcome
from gameforge_interop_openspiel.spiel_game import Spiel, SpielGame, spiel_game

_MOST_PLIES, _USUAL_PLIES = 4096, 512


@functools.cache
def _result(name: str, last: int) -> CResult:
    """Return the function that asks OpenSpiel for the result of a finished game; it lives as long as the process."""
    spiel = spiel_game(name)

    def result(address: int) -> int:
        n = ctypes.c_uint64.from_address(address + 8 * last).value
        return code_of(spiel.after(ctypes.string_at(address, 2 * n)).player_return(spiel.first ^ n & 1))

    return CResult(result)


def _loads(instance: Any, attribute: Any, value: str) -> None:
    spiel_game(value)


@attrs.frozen(kw_only=True)
class OpenSpielRules(Drawing):
    """A game of OpenSpiel. A move is one of its actions; the other side passes while a side takes several in a row.

    * `name`: its name in OpenSpiel, with parameters in brackets: `name="breakthrough(rows=6,columns=6)"`.
    * `plies`: a draw after this many plies, passes included; 0: 512, or fewer if the game cannot last so long.
    """

    name_: str = attrs.field(alias="name", validator=_loads)
    plies: int = attrs.field(default=0, validator=whole(f"a whole number from 0 to {_MOST_PLIES}", 0, _MOST_PLIES))

    name = "openspiel"
    sides = ("first", "second")
    reasons = ("game over", "ply limit")

    @property
    def spiel(self) -> SpielGame:
        """The loaded game."""
        return spiel_game(self.name_)

    @property
    def limit(self) -> int:
        """Number of plies after which the game is a draw; a game with passes has at most twice its actions."""
        return self.plies or min(_USUAL_PLIES, 2 * int(self.spiel.game.max_game_length()))

    @property
    def draws(self) -> DrawRules:
        return DrawRules(max_plies=self.limit)

    @property
    def drawing(self) -> Drawing:
        return self

    @property
    def notation(self) -> "OpenSpielRules":
        return self

    @property
    def positions(self) -> "OpenSpielRules":
        return self

    def functions(self) -> RulesFunctions:
        spiel, words = self.spiel, words_for(self.limit)
        last, after, legal = words - 1, spiel.after, spiel.legal

        def gen(rules: Any, s: Any, moves: Any) -> int:
            n = int(s[last])
            codes = legal(after(read(s, 2 * n)), n)
            write(moves, array("Q", codes))
            return len(codes)

        return RulesFunctions(
            words=words,
            max_moves=spiel.actions,
            gen=gen,
            play=play,
            outcome=outcome,
            data=np.array([last, self.limit, _result(self.name_, last).address], np.uint64),
            compiled=frozenset({"play", "outcome"}),
        )

    def initial(self) -> State:
        return (0,) * words_for(self.limit)

    def side_to_move(self, state: State) -> int:
        return state[-1] & 1

    def at(self, state: State) -> Spiel:
        """Return OpenSpiel's state; it must not be changed."""
        return self.spiel.after(array("H", plies_of(state)).tobytes())

    def after(self, plies: list[int]) -> State:
        """Return the state after these plies; GameforgeError if there are too many."""
        if len(plies) > self.limit:
            raise GameforgeError(f"{len(plies)} plies: {self.name_} is played here with at most {self.limit}")
        return state_of(plies, words_for(self.limit))

    def diagram(self, state: State) -> str:
        return str(self.at(state))

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return self.spiel.text(self.at(state), move)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        here = self.at(state)
        texts = {self.spiel.text(here, move): move for move in legal}
        wanted = "_".join(text.split())
        if wanted not in texts:
            raise GameforgeError(f"no legal move {text!r}{near(wanted, texts)}; legal: {', '.join(texts) or 'none'}")
        return texts[wanted]

    def position_text(self, state: State) -> str:
        """Return the plies as numbers of OpenSpiel's actions, or `pass`; `-` if there are none."""
        return ",".join("pass" if ply == self.spiel.actions else str(ply) for ply in plies_of(state)) or "-"

    def parse_position(self, text: str) -> State:
        spiel = self.spiel
        here = spiel.start.clone()
        plies: list[int] = []
        for word in text.replace(" ", "").split(",") if text.strip() != "-" else ():
            legal = {"pass" if ply == spiel.actions else str(ply): ply for ply in spiel.legal(here, len(plies))}
            if word not in legal:
                listed = ", ".join(legal) or "none"
                raise GameforgeError(f"position {text!r}: ply {len(plies) + 1}, {word!r}, is not legal: {listed}")
            plies.append(legal[word])
            spiel.apply(here, legal[word])
        return self.after(plies)
