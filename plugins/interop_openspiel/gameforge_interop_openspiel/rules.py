"""Games of OpenSpiel as rules, and OpenSpiel's observation tensor as a feature map."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gameforge import GameforgeError, TraceFiles
from gameforge.interfaces import DrawRules, FeatureFunctions, MoveIndices, Rules, RulesFunctions, State, kinds, near
from gameforge_interop_openspiel.spiel_game import (
    Spiel,
    SpielGame,
    action_text,
    gen,
    index,
    look,
    outcome,
    play,
    plies_of,
    spiel_game,
    state_of,
    words_for,
)

_MOST_PLIES, _USUAL_PLIES = 4096, 512


@attrs.frozen(kw_only=True)
class OpenSpielRules:
    """A game of OpenSpiel. A move is one of its actions; the other side passes while a side takes several in a row.

    * `name`: its name in OpenSpiel, with parameters in brackets: `name="breakthrough(rows=6,columns=6)"`.
    * `plies`: a draw after this many plies, passes included; 0: 512, or fewer if the game cannot last so long.
    """

    name_: str = attrs.field(alias="name", validator=lambda rules, field, name: spiel_game(name))
    plies: int = attrs.field(default=0, validator=kinds.count(0, _MOST_PLIES))

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
    def notation(self) -> "OpenSpielRules":
        return self

    positions = drawing = notation

    @property
    def moves(self) -> MoveIndices:
        return MoveIndices(size=self.spiel.actions + 1, index=index)

    @property
    def files(self) -> TraceFiles:
        return TraceFiles(self, self.spiel.is_named, self.spiel.movers)

    def functions(self) -> RulesFunctions:
        words = words_for(self.limit)
        calls, data = (self.spiel.legal, self.spiel.result), np.array([words - 1, self.limit], np.uint64)
        return RulesFunctions(
            words=words, max_moves=self.spiel.actions, gen=gen, play=play, outcome=outcome, calls=calls, data=data
        )

    def initial(self) -> State:
        return (0,) * words_for(self.limit)

    def side_to_move(self, state: State) -> int:
        return state[-1] & 1

    def at(self, state: State) -> Spiel:
        """Return OpenSpiel's state; it must not be changed."""
        return self.spiel.after(*look(plies_of(state)))

    def diagram(self, state: State) -> str:
        return str(self.at(state))

    def svg(self, state: State) -> None:
        """Return None: OpenSpiel draws its games as text only."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return action_text(self.at(state), move)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        texts, wanted = {self.move_text(state, move, legal): move for move in legal}, "_".join(text.split())
        if wanted not in texts:
            raise GameforgeError(f"no legal move {text!r}{near(wanted, texts)}; legal: {', '.join(texts) or 'none'}")
        return texts[wanted]

    def position_text(self, state: State) -> str:
        """Return the plies as numbers of OpenSpiel's actions, or `pass`; `-` if there are none."""
        return ",".join(map(self._word, plies_of(state))) or "-"

    def parse_position(self, text: str) -> State:
        plies: list[int] = []
        for word in text.replace(" ", "").split(",") if text.strip() != "-" else ():
            legal = {self._word(ply): ply for ply in self.spiel.legal(*look(plies))}
            if word not in legal:
                where = f"position {text!r}: ply {len(plies) + 1}, {word!r}"
                raise GameforgeError(f"{where}, is not legal: {', '.join(legal) or 'none'}")
            plies.append(legal[word])
        if len(plies) > self.limit:
            raise GameforgeError(
                f"the position has {len(plies)} plies; {self.name_} allows at most {self.limit} (parameter plies)"
            )
        return state_of(plies, words_for(self.limit))

    def _word(self, ply: int) -> str:
        return "pass" if ply == self.spiel.actions else str(ply)


class Observation:
    """The observation tensor of the side to move, as OpenSpiel defines it for the game."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        if not isinstance(rules, OpenSpielRules):
            raise GameforgeError(f"features observation: fits games of OpenSpiel only, not {rules.name}")
        spiel, words = rules.spiel, words_for(rules.limit)
        if not spiel.game.get_type().provides_observation_tensor:
            raise GameforgeError(f"features observation: {rules.name_} has no observation tensor")
        inputs = spiel.game.observation_tensor_size()

        def features(fd: Any, s: Any, x: Any) -> None:
            state = tuple(np.ctypeslib.as_array(s, (words,)).tolist())
            mover = spiel.movers[rules.side_to_move(state)]
            np.ctypeslib.as_array(x, (inputs,))[:inputs] = rules.at(state).observation_tensor(mover)

        return FeatureFunctions(inputs=inputs, viewpoint="to move", features=features, compiled=False)
