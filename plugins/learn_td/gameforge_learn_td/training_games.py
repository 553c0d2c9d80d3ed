"""The games of a training: starting positions, the kernel that plays and learns in batches, and games without learning.

`Games` is what self-play uses. It hands batches to the kernel `train_games`, which applies the rule of td_rule.py, and
plays single test and tournament games without learning.
"""

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, Parts
from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, GameRecord, NetFunctions, Outcome, State, outcome_of
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    CompiledEvaluator,
    CompiledPlayer,
    FloatArray,
    GameWorkspace,
    IntegerArray,
    Score,
    Word,
    WordArray,
    answer,
    assembly,
    at,
    bare_kernel,
    gameplay,
    inline,
    interruptible,
    oracles,
    slots,
    threshold,
    words_of_game,
)
from gameforge_learn_td import position_rules
from gameforge_learn_td.position_rules import MOST_NODES, UNKNOWN_VALUE
from gameforge_learn_td.settings import Board, TDSettings
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board, next_known_board
from gameforge_learn_td.trainee import Trainee, forget, reach_outcome, slopes_of


@attrs.frozen(eq=False)
class Start:
    """A starting position of training games, with its rewards."""

    state: State
    first: int
    """Side to move."""
    rewards: NDArray[np.float64]
    """[win, loss, draw for the player who moves at even plies, draw for the one who moves at odd plies]."""
    clone_points: int


def starts(boards: Sequence[Board], game: Game) -> list[Start]:
    """The starting positions of these boards.

    Raises GameforgeError if a board is not a position of the game, or if the game is over on it.
    """
    return [_start(board, game, f"learner.boards.{i}.position") for i, board in enumerate(boards)]


def _start(board: Board, game: Game, where: str) -> Start:
    state = game.rules.initial()
    if board.position:
        try:
            state = game.parse_position(board.position)
        except GameforgeError as error:
            raise GameforgeError(f"{where}: {error}") from error
        legal = game.legal(state)
        if not legal or game.code(state, len(legal)):
            raise GameforgeError(f"{where}: the game is over in {board.position}, so there is nothing to learn from")
    first = game.rules.side_to_move(state)
    draws = (board.draw_first, board.draw_second)
    return Start(state, first, np.array([1, -1, draws[first], draws[1 - first]], np.float64), board.clone_points)


class Batch(NamedTuple):
    """Games to play, and arrays for their results."""

    start: WordArray
    """State in which each game begins."""
    rewards: NDArray[np.float64]
    """[win, loss, draw for the player who moves at even plies, draw for the one who moves at odd plies]."""
    learners: np.uint64
    """0: no player learns, 1: the first one, 2: both."""
    adjudicate: np.uint64
    """1 if a game ends as soon as the players' oracles know its result, else 0."""
    rule: np.uint64
    """The rule by which any evaluator is trained (position_rules.py); not read by the procedure of NeuroDraughts."""
    used: np.uint64
    """Words of a search's stack before the nodes that it hands out."""
    score: NDArray[np.float64]
    """score[0]: that of the search that found the last move, or UNKNOWN_VALUE."""
    targets: np.uint64
    """1 if the values that a net's oracles know replace its predictions as targets, else 0."""
    fresh: WordArray
    """Searcher memory at the beginning of each game."""
    stream: np.uint64
    """First random word of the first game's first player; each further player's are APART words later."""
    opening_plies: np.int64
    """Number of random moves at the beginning of each game; no board before or after them is trained."""
    explore: np.uint64
    """A later move is drawn at random if a random word is below this."""
    chance: WordArray
    """chance[0]: random word of these random moves."""
    chances: np.uint64
    """chance[0] at the beginning of the first game; each further game's is 2 * APART later."""
    parities: IntegerArray
    """0 for each game in which the first player moves at even plies, 1 for odd ones."""
    codes: IntegerArray
    """Final code of each game (kernel/game.py)."""
    plies: IntegerArray
    moves: WordArray
    """Moves of the games, with room for max_plies moves each."""
    ends: WordArray
    """Final state of each game."""


@inline
def _learn(
    game: GameWorkspace,
    evaluator: CompiledEvaluator,
    td: TDParameters,
    first: bool,
    known: int,
    parity: int,
    rewards: NDArray[np.float64],
) -> None:
    """Train on the board after a move of the evaluator's player, who moves at plies of this parity.

    first: whether no earlier board should approach this one, because there is none or because the move was random.
    known: the result for the other player, who is to move, or UNKNOWN.
    """
    if first:
        first_board(evaluator, td, at(game.states, U0))
    elif known == UNKNOWN:
        next_board(evaluator, td, at(game.states, U0))
    else:
        reward = rewards[2 + parity] if known == DRAW else rewards[0] if known == LOSS else rewards[1]
        next_known_board(evaluator, td, at(game.states, U0), -evaluator.sign * reward)


@inline
def _reward(game: GameWorkspace, code: int, parity: int, rewards: NDArray[np.float64]) -> Score:
    """The reward of the player who moves at plies of this parity."""
    if code & 3 == DRAW:
        return rewards[2 + parity]
    won = (code & 3 == WIN) == ((game.counters[slots.PLIES] & 1) == parity)
    return rewards[0] if won else rewards[1]


@inline
def _finish(
    game: GameWorkspace, evaluator: CompiledEvaluator, td: TDParameters, code: int, parity: int, batch: Batch
) -> None:
    """Train on the outcome, if the player who moves at plies of this parity has moved after the opening at all."""
    opening = batch.opening_plies
    if game.counters[slots.PLIES] <= opening + ((opening ^ parity) & 1):
        return
    # The reward must be seen from the same side as the evaluator's output.
    final_reward(evaluator, td, -evaluator.sign * _reward(game, code, parity, batch.rewards))


@inline
def _adjudicated(game: GameWorkspace, player: CompiledPlayer, batch: Batch) -> int:
    """Return the code of a game that is to be adjudicated, else RUNNING."""
    if batch.adjudicate != U0:
        known = oracles.ask_oracles(player.context, at(game.states, U0))
        if known != UNKNOWN:
            return known + gameplay.ADJUDICATED
    return RUNNING


@inline
def _explored_or_chosen(
    game: GameWorkspace, player: CompiledPlayer, n_moves: Word, task: tuple[Batch, bool]
) -> tuple[int, Word]:
    """End the game if it is to be adjudicated; otherwise find a move, at random where this ply is explored."""
    batch, explored = task
    code = _adjudicated(game, player, batch)
    if code != RUNNING:
        return code, U0
    if explored:
        return RUNNING, gameplay.random_move(game, n_moves, at(batch.chance, U0))
    return RUNNING, gameplay.choose(game, player, n_moves)


@inline
def _explored_or_searched(
    game: GameWorkspace, player: CompiledPlayer, n_moves: Word, task: tuple[Batch, bool]
) -> tuple[int, Word]:
    """Find a move as `_explored_or_chosen` does, and keep the score of the search, if there is one, in batch.score."""
    batch, explored = task
    batch.score[0] = UNKNOWN_VALUE
    code = _adjudicated(game, player, batch)
    if code != RUNNING:
        return code, U0
    if explored:
        return RUNNING, gameplay.random_move(game, n_moves, at(batch.chance, U0))
    if n_moves == U1:
        return RUNNING, game.moves[0]
    place = gameplay.by_book(game, player)
    if place != U0:
        return RUNNING, player.book[place]
    if batch.rule == position_rules.TREESTRAP:  # in case that an oracle's distances decide without a search
        answer.begin_handing_out(player.context.stack)
    score, m = gameplay.searched(player, at(game.states, U0))
    batch.score[0] = score
    return RUNNING, m


@inline
def _learn_board(
    game: GameWorkspace,
    player: CompiledPlayer,
    td: TDParameters,
    first: bool,
    explored: bool,
    parity: int,
    batch: Batch,
) -> None:
    """Train a net on the board after its own move, as NeuroDraughts does."""
    known = UNKNOWN
    if batch.targets != U0 and not first:
        known = oracles.ask_oracles(player.context, at(game.states, U0))
    _learn(game, player.context.evaluator, td, first, known, parity, batch.rewards)


@inline
def _learn_by_rule(
    game: GameWorkspace, player: CompiledPlayer, t: Trainee, first: bool, explored: bool, parity: int, batch: Batch
) -> None:
    """Train any evaluator on what its own move leaves to learn from; a random move ends the sequence of positions."""
    if explored:
        forget(t)
    if batch.rule == position_rules.TD:
        known, rewards = UNKNOWN, batch.rewards
        if batch.targets != U0 and not first:
            known = oracles.ask_oracles(player.context, at(game.states, U0))
        value = UNKNOWN_VALUE
        if known != UNKNOWN:
            value = rewards[2 + parity] if known == DRAW else rewards[0] if known == LOSS else rewards[1]
        position_rules.learn_board(game, player.context.evaluator, t, value)
    elif batch.score[0] != UNKNOWN_VALUE:
        if batch.rule == position_rules.TDLEAF:
            position_rules.learn_leaf(game, player, t, batch.score[0])
        else:
            position_rules.learn_tree(player, t, batch.used)


@inline
def _finish_by_rule(
    game: GameWorkspace, evaluator: CompiledEvaluator, t: Trainee, code: int, parity: int, batch: Batch
) -> None:
    """Train on the outcome, unless there is no prediction to correct."""
    reach_outcome(evaluator, t, _reward(game, code, parity, batch.rewards))


@bare_kernel
def train_games(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: TDParameters,
    opponent_td: TDParameters,
    batch: Batch,
) -> int:
    """Play the games of a batch, and train a net as NeuroDraughts does; returns the number of finished games."""
    return _play_games(game, learner, opponent, td, opponent_td, batch, _explored_or_chosen, _learn_board, _finish)


@bare_kernel
def train_games_by_rule(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: Trainee,
    opponent_td: Trainee,
    batch: Batch,
) -> int:
    """Play the games of a batch, and train any evaluator by batch.rule; returns the number of finished games."""
    return _play_games(
        game, learner, opponent, td, opponent_td, batch, _explored_or_searched, _learn_by_rule, _finish_by_rule
    )


Training = TypeVar("Training", TDParameters, Trainee)
Learn = Callable[[GameWorkspace, CompiledPlayer, Training, bool, bool, int, Batch], None]
Finish = Callable[[GameWorkspace, CompiledEvaluator, Training, int, int, Batch], None]


@inline
def _play_games(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: Training,
    opponent_td: Training,
    batch: Batch,
    find: "gameplay.Find[tuple[Batch, bool]]",
    learn: "Learn[Training]",
    finish: "Finish[Training]",
) -> int:
    """Play the games of a batch. Only what follows a player's own moves is learned from.

    A searcher that answers with an illegal move loses. Returns the number of finished games: fewer than the batch has
    if the learner's STOP flag was set.
    """
    mine, other = learner.context.evaluator, opponent.context.evaluator
    opening = batch.opening_plies
    room, words = np.int64(game.draws[slots.DRAW_MAX_PLIES]), np.int64(game.rules.words)
    for g in range(len(batch.parities)):
        parity = batch.parities[g]
        gameplay.seat(learner, batch.fresh, gameplay.first_word(batch.stream, 2 * g))
        gameplay.seat(opponent, batch.fresh, gameplay.first_word(batch.stream, 2 * g + 1))
        batch.chance[0] = gameplay.first_word(batch.chances, 2 * g)
        gameplay.begin(game, at(batch.start, U0))
        while True:
            plies = game.counters[slots.PLIES]
            # Drawn before anyone knows whether the game goes on: the next game has random words of its own.
            explored = plies < opening or gameplay.happens(at(batch.chance, U0), batch.explore)
            code = gameplay.ply(game, learner, opponent, parity, find, (batch, explored))
            if code != RUNNING:
                break
            if batch.learners == U0 or plies < opening:
                continue
            first = explored or plies < opening + 2
            if (plies & 1) == parity:
                learn(game, learner, td, first, explored, parity, batch)
            elif batch.learners == U2:
                learn(game, opponent, opponent_td, first, explored, 1 - parity, batch)
        if code == gameplay.STOPPED:
            return g
        if batch.learners != U0:
            finish(game, mine, td, code, parity, batch)
        if batch.learners == U2:
            finish(game, other, opponent_td, code, 1 - parity, batch)
        plies = game.counters[slots.PLIES]
        batch.codes[g], batch.plies[g] = code, plies
        for i in range(plies):
            batch.moves[g * room + i] = game.played[i]
        for i in range(words):
            batch.ends[g * words + i] = game.states[i]
    return len(batch.parities)


Names = tuple[str, str]
"""The names of the net and of its opponent."""
PHASES = ("training", "test", "tournament")
_UNITS = 1 << 32
"""The probability of exploration is rounded to one of this number of steps."""
_EXPLORATION = "exploration"
"""Name of the stream of the random moves in training games."""
_BATCH_SECONDS = 0.2
"""Approximate seconds between two returns of the kernel with finished games; results do not depend on it."""
_BATCH_GAMES = 2048


@attrs.frozen
class PlayedBatch:
    """Training games that one call of the kernel played."""

    games: list[GameRecord]
    material: list[tuple[float, float]]
    """Material of the first and the second mover at the end of each game; zeros if the rules do not count it."""
    seconds: float
    """Total time of these games."""
    probes: int
    """Positions that were looked up in the players' oracles."""
    hits: int
    """Lookups that found a result."""


class Games:
    """Games of a net against an opponent in one thread; both share their weights with the caller.

    Every game begins with cleared searcher memory and with random numbers that follow from its phase and number. So it
    depends only on the weights, and a training can be resumed between any two games.
    """

    def __init__(
        self,
        parts: Parts,
        settings: TDSettings,
        net: FloatArray,
        opponent: FloatArray,
        changes: Sequence[FloatArray],
        seed: np.random.SeedSequence,
    ) -> None:
        """changes: with coherence, the sums of the changes of both nets (TrainingState.changes); else nothing."""
        self._parts = parts
        functions, self._layout = slopes_of(parts)
        self._kernel: Callable[..., object] = train_games_by_rule
        self._tds: tuple[object, object]
        if isinstance(functions, NetFunctions) and settings.is_neurodraughts:
            self._kernel = train_games
            self._tds = TDParameters.of(settings, functions), TDParameters.of(settings, functions)
        else:
            unused = np.zeros(1, np.float32)
            sums = tuple(changes) or (unused,) * 4
            self._tds = (
                Trainee.of(settings, parts, net, (sums[0], sums[1])),
                Trainee.of(settings, parts, opponent, (sums[2], sums[3])),
            )
        self._rule, self._used = position_rules.RULES[settings.rule], np.uint64(parts.search.stack)
        self._learners = U2 if settings.regime == "straight" else U1
        self._adjudicate, self._targets = np.uint64(settings.adjudicate), np.uint64(settings.target == "oracle")
        self._opening_plies = np.int64(settings.opening_plies)
        self._explore = threshold(round(settings.epsilon * _UNITS) / _UNITS)
        self._has_oracles = bool(parts.oracles.size or parts.oracles.gate.size)
        self._rules = parts.game.rules
        self._material = parts.game.material or (lambda state: (0.0, 0.0))
        self._game = assembly.game_workspace(parts.game.compiled, self._rules.draws)
        self._control = np.zeros(slots.CONTROLS, np.int64)
        self._opponent = opponent
        self._players = self._player(net), self._player(opponent)
        self._trained = self._players
        if settings.rule == "treestrap":
            self._trained = self._recording(self._players[0]), self._recording(self._players[1])
        self._fresh = self._players[0].context.memory.copy()
        names = (*PHASES, _EXPLORATION)
        self._streams = dict(zip(names, seed.spawn(1)[0].generate_state(len(names), np.uint64), strict=True))
        self._outcome = functools.cache(self._outcome_of)
        self._batch = 1

    def train(self, start: Start, sides: IntegerArray, first: int, names: Names, session: int) -> Iterator[PlayedBatch]:
        """Play training games in batches; the net has sides[i] in game first + i."""
        done = 0
        while done < len(sides):
            n = min(self._batch, len(sides) - done)
            here, number = sides[done : done + n], first + done
            batch = self._room("training", number, start, here ^ start.first)._replace(
                learners=self._learners,
                adjudicate=self._adjudicate,
                targets=self._targets,
                opening_plies=self._opening_plies,
                explore=self._explore,
            )
            began, before = time.perf_counter(), self._control.copy()
            self._play(self._trained, batch)
            seconds = time.perf_counter() - began
            counts = (self._control - before).tolist() if self._has_oracles else [0] * slots.CONTROLS
            games = self._records(batch, "training", number, start, here.tolist(), names, session)
            ends = map(tuple, batch.ends.reshape(n, len(start.state)).tolist())
            yield PlayedBatch(games, list(map(self._material, ends)), seconds, counts[slots.PROBES], counts[slots.HITS])
            done += n
            self._batch = max(1, min(_BATCH_GAMES, round(_BATCH_SECONDS / max(seconds / n, 1e-9))))

    def test(self, start: Start, side: int, number: int, names: Names, session: int) -> GameRecord:
        """Play a test game, without learning; the net has this side."""
        return self._one("test", number, start, self._players[:: 1 if side == 0 else -1], side, names, session)

    def tournament(self, first: FloatArray, second: FloatArray, number: int, names: Names) -> GameRecord:
        """Play a tournament game between two nets from the initial position."""
        for player, weights in zip(self._guests, (first, second), strict=True):
            player.context.evaluator.weights[:] = self._layout.block(weights)
        return attrs.evolve(self._one("tournament", number, self._initial, self._guests, 0, names, 0), learner=None)

    @functools.cached_property
    def _guests(self) -> tuple[CompiledPlayer, CompiledPlayer]:
        """Two players with their own weights, created only once: creating one takes as long as a short game."""
        length = self._layout.length
        return self._player(np.zeros(length, np.float32)), self._player(np.zeros(length, np.float32))

    @functools.cached_property
    def _initial(self) -> Start:
        """The initial position, where no one learns."""
        state = self._rules.initial()
        return Start(state, self._rules.side_to_move(state), np.zeros(4), 0)

    def _player(self, weights: FloatArray) -> CompiledPlayer:
        """A player for this thread's games. All players share one STOP flag, so that Ctrl-C ends any search."""
        player = self._parts.compiled_player(self._game, weights)
        return player._replace(context=player.context._replace(control=self._control))

    def _recording(self, player: CompiledPlayer) -> CompiledPlayer:
        """The same player, whose searches also hand out their nodes."""
        search = self._parts.search
        function = assembly.search_function(attrs.evolve(search, search=search.recording))
        room = MOST_NODES * (self._parts.game.functions.words + 2) + 1
        stack = assembly.zeros(search.stack + room)
        return player._replace(search=function, context=player.context._replace(stack=stack))

    def opponent_changed(self) -> None:
        """Let the opponent play by its weights, which the caller has changed."""
        self._players[1].context.evaluator.weights[:] = self._layout.block(self._opponent)

    def _stream(self, name: str, number: int) -> np.uint64:
        """The first random word of a game's first player."""
        return np.uint64(words_of_game(int(self._streams[name]), number)[0])

    def _room(self, phase: str, number: int, start: Start, parities: IntegerArray) -> Batch:
        """Games from number `number` on, in which no one learns, and room for them."""
        n = len(parities)
        return Batch(
            start=np.array(start.state, np.uint64),
            rewards=start.rewards,
            learners=U0,
            adjudicate=U0,
            rule=self._rule,
            used=self._used,
            score=np.zeros(1, np.float64),
            targets=U0,
            fresh=self._fresh,
            stream=self._stream(phase, number),
            opening_plies=np.int64(0),
            explore=U0,
            chance=np.zeros(1, np.uint64),
            chances=self._stream(_EXPLORATION, number),
            parities=parities,
            codes=np.zeros(n, np.int64),
            plies=np.zeros(n, np.int64),
            moves=np.zeros(n * self._rules.draws.max_plies, np.uint64),
            ends=np.zeros(n * len(start.state), np.uint64),
        )

    def _play(self, players: tuple[CompiledPlayer, ...], batch: Batch) -> None:
        interruptible(self._control, self._kernel, self._game, *players, *self._tds, batch)

    def _one(
        self,
        phase: str,
        number: int,
        start: Start,
        players: tuple[CompiledPlayer, ...],
        side: int,
        names: Names,
        session: int,
    ) -> GameRecord:
        """Play a game without learning between the players of the first and of the second side; names[0] has `side`."""
        batch = self._room(phase, number, start, np.array([start.first], np.int64))
        self._play(players, batch)
        return self._records(batch, phase, number, start, [side], names, session)[0]

    def _records(
        self, batch: Batch, phase: str, number: int, start: Start, sides: Sequence[int], names: Names, session: int
    ) -> list[GameRecord]:
        """The records of a batch's games, in which names[0] has these sides."""
        room = self._rules.draws.max_plies
        by_side = names, names[::-1]
        columns = zip(sides, batch.codes.tolist(), batch.plies.tolist(), strict=True)
        return [
            GameRecord(
                phase=phase,
                number=number + i,
                players=by_side[side],
                start=start.state,
                moves=tuple(batch.moves[i * room : i * room + plies].tolist()),
                outcome=self._outcome(code, (start.first + plies) % 2),
                session=session,
                learner=side,
                opening_plies=min(int(batch.opening_plies), plies),
            )
            for i, (side, code, plies) in enumerate(columns)
        ]

    def _outcome_of(self, code: int, to_move: int) -> Outcome:
        outcome = outcome_of(self._rules, code, to_move)
        assert outcome is not None
        return outcome
