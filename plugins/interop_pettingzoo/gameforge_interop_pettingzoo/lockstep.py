"""Many games of one kind in one compiled call: legal moves as masks, observations, and rewards.

An action is the index of a move (gameforge.interfaces.MoveIndices). A game that offers no indices has the place of a
move among the legal moves instead, which means something else in each position. An agent sees positions as planes or
as the inputs of a feature map (`View`).

A step plays one move in each game, or begins the game again if it is over. The games share one set of rules and lie
one after the other in flat arrays, so that a call takes the same few arguments for any number of games.
"""

from collections.abc import Callable
from typing import NamedTuple

import attrs
import numpy as np
from numba import types
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, Player, default_registry
from gameforge.interfaces import LOSS, RUNNING, WIN, Cells, FeatureFunctions, MoveIndices, Spec, State
from gameforge.kernel import (
    U0,
    U1,
    CompiledPlayer,
    CompiledRules,
    FloatArray,
    Floats,
    GameWorkspace,
    IntegerArray,
    Word,
    WordArray,
    Words,
    assembly,
    at,
    below,
    bound,
    compiled_function,
    gameplay,
    inline,
    packing,
    slots,
)

PLANES = "planes"
"""The observation of games with cells: a plane for each code, then one for each number."""
BITS = "bits"
"""The feature map that fits any game, for those without cells."""


def _alike(data: Words, s: Words, m: Word) -> Word:
    return U0


def _sees_nothing(data: Words, s: Words, planes: Words) -> None:
    return


def _writes_nothing(data: Words, s: Words, x: Floats) -> None:
    return


def indices_of(game: Game) -> MoveIndices:
    """Return the indices of a game's moves."""
    return game.moves or MoveIndices(size=game.functions.max_moves, index=_alike)


@attrs.frozen
class View:
    """What an agent sees of a position: planes, or the inputs of a feature map."""

    shape: tuple[int, ...]
    """(channels, rows, columns) of planes, or (inputs,) of a feature map."""
    names: tuple[str, ...]
    """What each channel or input stands for; () if the feature map does not name its inputs."""
    cells: Cells
    """The cells of planes; of none if a feature map looks at the position."""
    features: FeatureFunctions
    """The feature map; without inputs if there are planes."""
    codes: int = 0
    """Number of planes with 0 and 1; the others have the same number everywhere."""

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return int(np.prod(self.shape))

    @property
    def places(self) -> WordArray:
        """The index of each cell in a plane; empty without planes."""
        if not self.codes:
            return np.zeros(0, np.uint64)
        columns = self.shape[2]
        return np.array([row * columns + column for row, column in self.cells.places], np.uint64)


def view_of(game: Game, features: str = "") -> View:
    """Return the view that users name: `planes`, a feature map, or "" for planes if the game has cells, else `bits`.

    Raises GameforgeError if the game has no cells for planes, or if the feature map does not fit the game.
    """
    if features == PLANES and game.cells is None:
        raise GameforgeError(f"features planes: {game.rules.name} has no cells; a feature map that fits is {BITS}")
    if game.cells is not None and features in ("", PLANES):
        cells = game.cells
        channels = (*cells.codes, *cells.numbers)
        nothing = FeatureFunctions(inputs=0, viewpoint="to move", features=_writes_nothing)
        return View(cells.shape, channels, cells, nothing, len(cells.codes))
    component = default_registry().create("features", Spec.parse(features or BITS), game.rules.name)
    functions: FeatureFunctions = component.functions(game.rules)
    return View((functions.inputs,), functions.names, Cells(cells=_sees_nothing, places=((0, 0),)), functions)


class Games(NamedTuple):
    """The games, what is written about each of them, and how. N games; blocks of a game lie one after the other."""

    rules: CompiledRules
    """The rules of all games."""
    index_of: Callable[[Words, Words, Word], Word]
    """The function of the game's MoveIndices."""
    index_data: WordArray
    """Its first block."""
    size: np.uint64
    """Number of actions."""
    features: Callable[[Words, Words, Floats], None]
    """The function of the feature map, or a placeholder."""
    features_data: WordArray
    """Its first block."""
    cells: Callable[[Words, Words, Words], None]
    """The function of the game's Cells, or a placeholder."""
    cells_data: WordArray
    """Its first block."""
    codes: np.uint64
    """Number of planes with 0 and 1; 0: the feature map makes the observation."""
    channels: np.uint64
    """Number of all planes."""
    area: np.uint64
    """Numbers of a plane."""
    places: WordArray
    """Index in a plane of each cell."""
    planes: WordArray
    """Workspace of `cells`."""
    inputs: np.uint64
    """Numbers of an observation."""
    start: WordArray
    """The state in which games begin."""
    draws: IntegerArray
    """As in GameWorkspace; shared, as are the clocks, which do not run."""
    clocks: IntegerArray
    """As in GameWorkspace."""
    history: WordArray
    """As in GameWorkspace, for each game."""
    states: WordArray
    """As in GameWorkspace, for each game."""
    moves: WordArray
    """As in GameWorkspace, for each game."""
    played: WordArray
    """As in GameWorkspace, for each game."""
    counters: IntegerArray
    """As in GameWorkspace, for each game."""
    chosen: IntegerArray
    """The actions of the next step. [N]"""
    counts: IntegerArray
    """Number of legal moves; 0 if the game is over. [N]"""
    actions: IntegerArray
    """The action of each legal move. [N * max_moves]"""
    masks: NDArray[np.int8]
    """1 for each legal action. [N * size]"""
    seen: FloatArray
    """Observations. [N * inputs]"""
    rewards: NDArray[np.float64]
    """1, 0 or -1 for the side that has just moved. [N]"""
    over: NDArray[np.bool_]
    """Whether the game is over. [N]"""
    turns: NDArray[np.int8]
    """The side to move: 0 the first mover, 1 the second. [N]"""
    rng: WordArray
    """Random numbers of `draw`. [N]"""


@inline
def _workspace(games: Games, g: Word) -> GameWorkspace:
    """Return a game as the kernel's functions take it, as pointers into the arrays of all games."""
    n = np.uint64(len(games.over))
    rules = games.rules
    return GameWorkspace(
        rules,
        at(games.draws, U0),  # type: ignore[arg-type]
        at(games.history, g * (np.uint64(len(games.history)) // n)),  # type: ignore[arg-type]
        at(games.states, g * (np.uint64(len(games.states)) // n)),  # type: ignore[arg-type]
        at(games.moves, g * rules.max_moves),  # type: ignore[arg-type]
        at(games.played, g * (np.uint64(len(games.played)) // n)),  # type: ignore[arg-type]
        at(games.counters, g * np.uint64(slots.COUNTERS)),  # type: ignore[arg-type]
        at(games.clocks, U0),  # type: ignore[arg-type]
    )


@inline
def _number(games: Games, game: GameWorkspace, g: Word, n: Word) -> None:
    """Write the actions of the n legal moves and mark them in the mask, which is empty."""
    base = g * games.size
    data, s = at(games.index_data, U0), at(game.states, U0)
    for i in range(n):
        action = games.index_of(data, s, game.moves[i])
        while games.masks[base + action] != 0:
            action = (action + U1) % games.size
        games.masks[base + action] = 1
        games.actions[g * games.rules.max_moves + np.uint64(i)] = np.int64(action)
    games.counts[g] = n


@inline
def _observe(games: Games, game: GameWorkspace, g: Word) -> None:
    s, x = at(game.states, U0), at(games.seen, g * games.inputs)
    if games.codes == U0:
        for i in range(games.inputs):
            x[i] = np.float32(0)
        games.features(at(games.features_data, U0), s, x)
        return
    games.cells(at(games.cells_data, U0), s, at(games.planes, U0))
    plane = U0
    for channel in range(games.channels):
        word = games.planes[channel]
        if channel < games.codes:
            for cell in range(len(games.places)):
                x[plane + games.places[cell]] = np.float32(word & U1)
                word >>= U1
        else:
            number = np.float32(np.int64(word))
            for i in range(games.area):
                x[plane + np.uint64(i)] = number
        plane += games.area


@inline
def _look(games: Games, game: GameWorkspace, g: Word) -> int:
    """Write what there is to know of a position, and return the code of its outcome; the mask is empty."""
    n, code = gameplay.legal(game)
    _observe(games, game, g)
    games.turns[g] = game.counters[slots.PLIES] & 1
    games.over[g] = code != RUNNING
    games.rewards[g] = 1.0 if code & 3 == LOSS else -1.0 if code & 3 == WIN else 0.0
    _number(games, game, g, n if code == RUNNING else U0)
    return code


@inline
def _begin(games: Games, game: GameWorkspace, g: Word) -> None:
    """Begin a game; its mask becomes empty, whatever has been written there."""
    for i in range(games.size):
        games.masks[g * games.size + np.uint64(i)] = 0
    gameplay.begin(game, at(games.start, U0))


@inline
def _empty_mask(games: Games, g: Word) -> None:
    first, base = g * games.rules.max_moves, g * games.size
    for i in range(games.counts[g]):
        games.masks[base + np.uint64(games.actions[first + np.uint64(i)])] = 0


@inline
def _play(games: Games, game: GameWorkspace, g: Word, action: int) -> None:
    """Play the move of a legal action."""
    first = g * games.rules.max_moves
    i = U0
    while games.actions[first + i] != action:
        i += U1
    gameplay.advance(game, game.moves[i])


_pack, _unpack = packing(Games)


def begin_all(block: Words) -> int:
    """Begin each game at games.start."""
    games = _unpack(block)
    for i in range(len(games.over)):
        g = np.uint64(i)
        game = _workspace(games, g)
        _begin(games, game, g)
        _look(games, game, g)
    return 0


def step_all(block: Words) -> int:
    """Play the chosen action in each game; those that are over begin again instead, with the reward 0.

    Returns -1, or the number of a game whose action is not legal; then nothing is played.
    """
    games = _unpack(block)
    for i in range(len(games.over)):
        action = games.chosen[i]
        legal_here = 0 <= action < np.int64(games.size)
        if legal_here:
            legal_here = games.masks[np.uint64(i) * games.size + np.uint64(action)] != 0
        if not (legal_here or games.over[i]):
            return i
    for i in range(len(games.over)):
        g = np.uint64(i)
        game = _workspace(games, g)
        if games.over[g]:
            _begin(games, game, g)
        else:
            _empty_mask(games, g)
            _play(games, game, g, games.chosen[i])
        _look(games, game, g)
    return -1


def draw_all(block: Words) -> int:
    """Choose a legal action for each game, all equally likely; 0 for a game that is over."""
    games = _unpack(block)
    for i in range(len(games.over)):
        games.chosen[i] = 0
        if games.counts[i] > 0:
            drawn = below(at(games.rng, np.uint64(i)), np.uint64(games.counts[i]))
            games.chosen[i] = games.actions[np.uint64(i) * games.rules.max_moves + drawn]
    return 0


class Duel(NamedTuple):
    """A single game in which a player moves for one side."""

    games: Games
    """The game."""
    game: GameWorkspace
    """Its record, which the player shares."""
    player: CompiledPlayer
    """The player."""


_pack_duel, _unpack_duel = packing(Duel)


@inline
def _chosen(game: GameWorkspace, player: CompiledPlayer, n_moves: Word, task: None) -> tuple[int, Word]:
    return RUNNING, gameplay.choose(game, player, n_moves)


def reply(block: Words, side: int) -> int:
    """Play the agent's chosen action, or begin if it is negative, and then the player's moves.

    Returns the code of the outcome, for the side to move, when it is the turn of `side`, or the game is over.
    """
    games, game, player = _unpack_duel(block)
    if games.chosen[0] < 0:
        _begin(games, game, U0)
    else:
        _empty_mask(games, U0)
        _play(games, game, U0, games.chosen[0])
    code = RUNNING
    while code == RUNNING and game.counters[slots.PLIES] & 1 != side:
        code = gameplay.ply(game, player, player, 0, _chosen, None)
    found = _look(games, game, U0)
    return found if code == RUNNING else code


_BLOCK = types.CPointer(types.uint64)
_ON_GAMES, _ON_DUEL = types.int64(_BLOCK), types.int64(_BLOCK, types.int64)


def _functions_of(nested: tuple[object, ...]) -> tuple[object, ...]:
    """Return the functions in nested tuples, each once, to check what they have raised: there are far more blocks."""
    found: dict[object, None] = {}
    for entry in nested:
        if isinstance(entry, tuple):
            found |= dict.fromkeys(_functions_of(entry))
        elif callable(entry):
            found[entry] = None
    return tuple(found)


class Lockstep:
    """N games of one kind that are stepped together. The arrays are written again by each call."""

    def __init__(self, game: Game, n: int, view: View) -> None:
        indices, one = indices_of(game), assembly.game_workspace(game.compiled, game.rules.draws)
        self.game, self.size = game, indices.size
        most = int(game.compiled.max_moves)
        self.games = Games(
            rules=game.compiled,
            index_of=compiled_function("index", indices.index),
            index_data=assembly.block(indices.data),
            size=np.uint64(indices.size),
            features=compiled_function("features", view.features.features, compiled=view.features.compiled),
            features_data=assembly.block(view.features.data),
            cells=compiled_function("cells", view.cells.cells),
            cells_data=assembly.block(view.cells.data),
            codes=np.uint64(view.codes),
            channels=np.uint64(view.shape[0]),
            area=np.uint64(view.size // view.shape[0]),
            places=view.places,
            planes=np.zeros(len(view.cells.codes) + len(view.cells.numbers), np.uint64),
            inputs=np.uint64(view.size),
            start=np.array(game.rules.initial(), np.uint64),
            draws=one.draws,
            clocks=one.clocks,
            history=np.tile(one.history, n),
            states=np.tile(one.states, n),
            moves=np.tile(one.moves, n),
            played=np.tile(one.played, n),
            counters=np.tile(one.counters, n),
            chosen=np.zeros(n, np.int64),
            counts=np.zeros(n, np.int64),
            actions=np.zeros(n * most, np.int64),
            masks=np.zeros(n * indices.size, np.int8),
            seen=np.zeros(n * view.size, np.float32),
            rewards=np.zeros(n, np.float64),
            over=np.zeros(n, np.bool_),
            turns=np.zeros(n, np.int8),
            rng=np.zeros(n, np.uint64),
        )
        games = self.games
        self.masks = games.masks.reshape(n, indices.size)
        """1 for each legal action."""
        self.seen = games.seen.reshape(n, *view.shape)
        """The observations."""
        self.rewards, self.over, self.turns = games.rewards, games.over, games.turns
        self.chosen, self.rng = games.chosen, games.rng
        self.only = one._replace(
            history=games.history, states=games.states, moves=games.moves, played=games.played, counters=games.counters
        )
        """The only game as a workspace that players can share, if n is 1."""
        self._functions = _functions_of(games)
        words = _pack(games)
        self._begin, self._step, self._draw = (
            bound(compiled_function(function.__name__, function, signature=_ON_GAMES, bare=True), words)
            for function in (begin_all, step_all, draw_all)
        )

    def begin(self, start: State | None = None) -> None:
        """Begin all games at a state; None: at the initial one."""
        self.games.start[:] = self.game.rules.initial() if start is None else start
        self._begin()
        assembly.check(self._functions)

    def step(self) -> None:
        """Play the chosen actions; games that are over begin again. Raises GameforgeError if one is not legal."""
        wrong = self._step()
        assembly.check(self._functions)
        if wrong >= 0:
            allowed = ", ".join(map(str, np.flatnonzero(self.masks[wrong])))
            where = f" in game {wrong}" if len(self.over) > 1 else ""
            raise GameforgeError(f"action {self.chosen[wrong]} is not legal{where}; legal: {allowed}")

    def draw(self) -> None:
        """Choose a legal action for each game, all equally likely, by its random numbers `rng`."""
        self._draw()

    def state(self, g: int = 0) -> State:
        """Return the state of a game."""
        words, each = len(self.games.start), len(self.games.states) // len(self.over)
        return tuple(self.games.states[g * each : g * each + words].tolist())

    def move_of(self, action: int, g: int = 0) -> int:
        """Return the move of a legal action."""
        first = g * int(self.games.rules.max_moves)
        legal = self.games.actions[first : first + int(self.games.counts[g])]
        return int(self.games.moves[first + int(np.flatnonzero(legal == action)[0])])


class Opponent:
    """A player that moves for one side of the only game of a Lockstep."""

    def __init__(self, lockstep: Lockstep, player: Player) -> None:
        self._lockstep = lockstep
        self._player = player.parts.compiled_player(lockstep.only, player.weights)
        self._fresh = self._player.context.memory.copy()
        duel = Duel(lockstep.games, lockstep.only, self._player)
        self._functions = _functions_of(duel)
        words = _pack_duel(duel)
        self._reply = bound(compiled_function("reply", reply, signature=_ON_DUEL, bare=True), words)

    def begin(self, side: int, word: int) -> int:
        """Begin a game, in which the agent has this side, and the player's random numbers begin with this word."""
        self._player.context.memory[:] = self._fresh
        self._player.context.rng[0] = word
        self._lockstep.chosen[0] = -1
        return self.reply(side)

    def reply(self, side: int) -> int:
        """Play the agent's chosen action and the player's answers; return the code of the outcome, for the mover."""
        code = int(self._reply(side))
        assembly.check(self._functions)
        return code
