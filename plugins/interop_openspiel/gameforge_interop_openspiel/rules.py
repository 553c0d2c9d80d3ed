"""Games of OpenSpiel as rules, its observation tensor as a feature map, and players of ours as its bots.

A state is the history of its game: OpenSpiel's actions and passes, 16 bits each, and at the end their number. A pass is
a ply of a side that waits while the other one takes several actions in a row; its code is the number of OpenSpiel's
actions. OpenSpiel itself has no words of a fixed size for a state, and a handle would neither survive the process nor
be equal for equal games.

The data of the rules are the addresses of two Python functions, which return the legal moves and the outcome of a
finished game. They get a history as bytes, and its last ply. Then follow the index of a state's last word and the limit
of plies.
"""

import functools
import threading
from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np
import pyspiel

from gameforge import GameforgeError, Player, Position, TraceFiles
from gameforge.interfaces import (
    DRAW,
    LOSS,
    RUNNING,
    WIN,
    DrawRules,
    FeatureFunctions,
    MoveIndices,
    Rules,
    RulesFunctions,
    State,
    kinds,
    near,
)
from gameforge.kernel import U0, U1, U2, U3, U4, Whole, Word, Words, inline, list_from, number_from

_PLY = np.uint64(0xFFFF)
_LEGAL, _RESULT, _LAST, _LIMIT = range(4)
MOST_CODES, PLY_LIMIT = 1 << 16, 1
"""Maximum number of codes of plies, and the index of the reason of a draw by the limit of plies."""


def words_for(plies: int) -> int:
    """Return the number of words of a state that can hold this many plies, four in a word."""
    return (plies + 3) // 4 + 1


@inline
def _last_ply(s: Words, n: Word) -> Word:
    return s[(n - U1) >> U2] >> (((n - U1) & U3) << U4) & _PLY if n else U0


def gen(rules: Words, s: Words, moves: Words) -> Whole:
    n = s[rules[_LAST]]
    return list_from(rules[_LEGAL], s, np.int64(n << U1), _last_ply(s, n), moves)


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    last = rules[_LAST]
    for i in range(last + U1):
        child[i] = s[i]
    n = s[last]
    child[n >> U2] |= m << ((n & U3) << U4)
    child[last] = n + U1


def outcome(rules: Words, s: Words, n_moves: Word) -> Whole:
    n = s[rules[_LAST]]
    if n_moves == U0:
        return number_from(rules[_RESULT], s, np.int64(n << U1), _last_ply(s, n))
    return RUNNING if n < rules[_LIMIT] else DRAW + 4 * PLY_LIMIT


def index(data: Words, s: Words, m: Word) -> Word:
    """The index of a move is the number of OpenSpiel's action; a pass comes after all of these."""
    return m


def plies_of(state: State) -> list[int]:
    """Return the plies of a state."""
    return array("H", array("Q", state[:-1]).tobytes())[: state[-1]].tolist()


def state_of(plies: list[int], words: int) -> State:
    """Return the state after these plies."""
    packed = array("H", plies).tobytes().ljust(8 * (words - 1), b"\0")
    return (*array("Q", packed), len(plies))


def look(plies: list[int]) -> tuple[bytes, int]:
    """Return what the functions in Python get after these plies."""
    return array("H", plies).tobytes(), plies[-1] if plies else 0


_MOST_KEPT = 20_000
"""Maximum number of states that are kept."""

_NEEDED = "a game must be sequential, zero-sum, for two players, with perfect information and no chance"

Spiel: TypeAlias = pyspiel.State
"""A state of OpenSpiel, which has no types for Python."""


def loaded_game(name: str) -> pyspiel.Game:
    """Load a game of OpenSpiel by its name, with parameters as in `breakthrough(rows=6,columns=6)`.

    Raises GameforgeError, with the reason, if there is none or if it cannot be played here.
    """
    plain, known = name.partition("(")[0], pyspiel.registered_names()
    if plain not in known:
        where = "the README of the plugin lists those that fit"
        raise GameforgeError(f"{plain!r} is not a game of OpenSpiel{near(plain, known)}; {where}")
    try:
        game = pyspiel.load_game(name)
    except Exception as error:  # what OpenSpiel raises depends on the mistake
        said = next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)
        raise GameforgeError(f"OpenSpiel cannot load {name!r}: {said}") from None
    kind, words, actions = game.get_type(), pyspiel.GameType, game.num_distinct_actions()
    for fits, problem in (
        (kind.dynamics == words.Dynamics.SEQUENTIAL, "players move at the same time, or there is no tree of moves"),
        (kind.chance_mode == words.ChanceMode.DETERMINISTIC, "the game has chance"),
        (kind.information == words.Information.PERFECT_INFORMATION, "the game has hidden information"),
        (game.num_players() == 2, f"the number of players is {game.num_players()}"),
        (kind.utility == words.Utility.ZERO_SUM, "the game is not zero-sum"),
        (actions < MOST_CODES, f"it has {actions} actions, and at most {MOST_CODES - 1} fit"),
    ):
        if not fits:
            raise GameforgeError(f"{problem}; {_NEEDED}")
    return game


class _Cursor(threading.local):
    """The state that a thread has looked at last, which proceeds in place with the thread's game."""

    here: tuple[bytes | None, Spiel | None] = (None, None)
    """Its history, and itself."""


class SpielGame:
    """A loaded game, and its states by the history of their game: 16 bits for each ply.

    Random games proceed in place. A search that returns to an earlier state makes its child from the longest history
    that is kept, and keeps the state itself for other children.
    """

    def __init__(self, name: str) -> None:
        self.game = loaded_game(name)
        self.start: Spiel = self.game.new_initial_state()
        self.actions: int = self.game.num_distinct_actions()
        """Number of actions; also the code of a pass."""
        first: int = self.start.current_player()
        self.movers = (first, 1 - first)
        """OpenSpiel's numbers of the first and the second mover."""
        self._cursor = _Cursor()
        self._kept: dict[bytes, Spiel] = {b"": self.start}

    def is_named(self, name: str) -> bool:
        """Return whether this is the game of a name; GameforgeError as `loaded_game` raises it."""
        kind, other = self.game.get_type(), loaded_game(name)
        same_parameters: bool = other.get_parameters() == self.game.get_parameters()
        return same_parameters and bool(other.get_type().short_name == kind.short_name)

    def after(self, history: bytes, ply: int) -> Spiel:
        """Return the state after these plies, the last of which is `ply`, for a look before the thread's next call."""
        known, state = self._cursor.here
        if history != known:
            if history[:-2] != known or not history:
                state = self._kept_state(history[:-2]).clone()
            if history:
                self._apply(state, ply)
            self._cursor.here = history, state
        return state

    def _kept_state(self, history: bytes) -> Spiel:
        """Return a state that is kept, and must not be changed."""
        known = len(history)
        while (state := self._kept.get(history[:known])) is None:
            known -= 2
        if known < len(history):
            state = state.clone()
            for ply in array("H", history[known:]):
                self._apply(state, ply)
            if len(self._kept) >= _MOST_KEPT:
                self._kept = {b"": self.start}
            self._kept[history] = state
        return state

    def _apply(self, state: Spiel, ply: int) -> None:
        """Change a state by a ply; a pass changes nothing."""
        if ply != self.actions:
            state.apply_action(ply)

    def legal(self, history: bytes, ply: int) -> list[int]:
        """Return the codes of the legal moves: actions, or the pass of the side that waits."""
        state = self.after(history, ply)
        actions: list[int] = state.legal_actions(self.movers[len(history) // 2 & 1])
        return actions or ([] if state.is_terminal() else [self.actions])

    def result(self, history: bytes, ply: int) -> int:
        """Return the outcome code of a finished game."""
        worth = self.after(history, ply).player_return(self.movers[len(history) // 2 & 1])
        return WIN if worth > 0 else LOSS if worth < 0 else DRAW


def action_text(state: Spiel, action: int) -> str:
    """Return OpenSpiel's text of an action, with `_` for spaces, or `pass`."""
    if action == state.num_distinct_actions():
        return "pass"
    return "_".join(state.action_to_string(state.current_player(), action).split())


spiel_game = functools.cache(SpielGame)
"""Returns the game of a name, which is loaded once in a process."""


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


class GameForgeBot(pyspiel.Bot):  # type: ignore[misc]
    """Any player as a bot: of a game of OpenSpiel, or of a game of ours that writes its moves as OpenSpiel does.

    Othello is such a game: both write `d3`. `step` raises GameforgeError if a move of one game has no counterpart in
    the other.
    """

    def __init__(self, player: Player) -> None:
        super().__init__()
        self.player = player

    def step(self, state: Spiel) -> int:
        """Return the player's action in a state of OpenSpiel."""
        position, here = self._ready(self.player.game.position()), state.get_game().new_initial_state()
        for action in state.history():
            position = self._ready(position.play(action_text(here, action)))
            here.apply_action(action)
        text = str(self.player.choose(position))
        for action in state.legal_actions():
            if action_text(state, action) == text:
                return int(action)
        raise GameforgeError(f"OpenSpiel has no legal action {text!r} in {state}")

    def _ready(self, position: Position) -> Position:
        """Pass for a side that waits while the other one takes several actions in a row, as OpenSpiel's games do."""
        rules = self.player.game.rules
        waits = isinstance(rules, OpenSpielRules) and position.codes == [rules.spiel.actions]
        return position.after(position.codes[0]) if waits else position

    def restart_at(self, state: Spiel) -> None:
        """Do nothing: each step reads the whole game from the state."""
