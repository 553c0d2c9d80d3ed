"""The games of a training: starting positions, the kernel that plays and learns in batches, and games without learning.

`Games` is what self-play uses. It hands batches to the kernel `train_games`, which applies the rule of td_rule.py, and
plays single test and tournament games without learning.
"""

import functools
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, Parts
from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, GameRecord, Material, Outcome, State, outcome_of
from gameforge.kernel import (
    ADJUDICATED,
    APART,
    U0,
    UNKNOWN,
    CompiledEvaluator,
    CompiledPlayer,
    GameWorkspace,
    IntegerArray,
    WordArray,
    advance,
    at,
    bare_kernel,
    begin,
    below,
    choose,
    game_workspace,
    inline,
    interruptible,
    legal,
    next_word,
    oracles,
    play_game,
    slots,
    words_of_game,
)
from gameforge_learn_td.settings import Board
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board, next_known_board

_32 = np.uint64(32)


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


_APART = np.uint64(APART)


class Batch(NamedTuple):
    """Games to play, and arrays for their results."""

    start: WordArray
    """State in which each game begins."""
    rewards: NDArray[np.float64]
    """[win, loss, draw for the player who moves at even plies, draw for the one who moves at odd plies]."""
    both: np.uint64
    """1 if the opponent learns, too, else 0."""
    adjudicate: np.uint64
    """1 if a game ends as soon as the learner's oracles know its result, else 0."""
    targets: np.uint64
    """1 if the values that a net's oracles know replace its predictions as targets, else 0."""
    fresh: WordArray
    """Searcher memory at the beginning of each game."""
    stream: np.uint64
    """First random word of the first game's first player; each further player's are APART words later."""
    opening_plies: np.int64
    """Number of random moves at the beginning of each game; no board before or after them is trained."""
    explore: np.uint64
    """Probability of a random move later in the game, in units of 2^-32."""
    chance: WordArray
    """chance[0]: random word of these random moves."""
    chances: np.uint64
    """chance[0] at the beginning of the first game; each further game's is 2 * APART later."""
    parities: IntegerArray
    """0 for each game in which the learner moves at even plies, 1 for odd ones."""
    codes: IntegerArray
    """Final code of each game (kernel/game.py)."""
    plies: IntegerArray
    moves: WordArray
    """Moves of the games, with room for max_plies moves each."""
    ends: WordArray
    """Final state of each game."""


@bare_kernel
def train_games(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: TDParameters,
    opponent_td: TDParameters,
    batch: Batch,
) -> int:
    """Play the games of a batch. Only boards after a net's own moves are trained.

    Returns the number of finished games: fewer than the batch has if the learner's STOP flag was set.
    """
    mine, other = learner.context.evaluator, opponent.context.evaluator
    both = batch.both != U0
    opening = batch.opening_plies
    room, words = np.int64(game.draws[slots.DRAW_MAX_PLIES]), np.int64(game.rules.words)
    for g in range(len(batch.parities)):
        parity = batch.parities[g]
        _fresh(learner, batch, np.uint64(2 * g))
        _fresh(opponent, batch, np.uint64(2 * g + 1))
        batch.chance[0] = batch.chances + np.uint64(2 * g) * _APART
        begin(game, at(batch.start, U0))
        while True:
            n, code = legal(game)
            if code == RUNNING and batch.adjudicate != U0:
                known = oracles.ask_oracles(learner.context, at(game.states, U0))
                if known != UNKNOWN:
                    code = known + ADJUDICATED
            if code != RUNNING:
                break
            own = (game.counters[slots.PLIES] & 1) == parity
            in_opening = game.counters[slots.PLIES] < opening
            explored = in_opening or (batch.explore != U0 and next_word(batch.chance) >> _32 < batch.explore)
            # Not choose(game, learner if own else opponent, n): copying a player costs as much as a short search.
            if explored:
                m = game.moves[below(batch.chance, np.uint64(n))]
            elif own:
                m = choose(game, learner, n)
            else:
                m = choose(game, opponent, n)
            if learner.context.control[slots.STOP] != 0:
                return g
            advance(game, m)
            if in_opening:
                continue
            first = explored or game.counters[slots.PLIES] <= opening + 2
            known = UNKNOWN
            if own:
                if batch.targets != U0 and not first:
                    known = oracles.ask_oracles(learner.context, at(game.states, U0))
                _learn(game, mine, td, first, known, parity, batch.rewards)
            elif both:
                if batch.targets != U0 and not first:
                    known = oracles.ask_oracles(opponent.context, at(game.states, U0))
                _learn(game, other, opponent_td, first, known, 1 - parity, batch.rewards)
        _finish(game, mine, td, code, parity, opening, batch.rewards)
        if both:
            _finish(game, other, opponent_td, code, 1 - parity, opening, batch.rewards)
        plies = game.counters[slots.PLIES]
        batch.codes[g], batch.plies[g] = code, plies
        for i in range(plies):
            batch.moves[g * room + i] = game.played[i]
        for i in range(words):
            batch.ends[g * words + i] = game.states[i]
    return len(batch.parities)


@inline
def _fresh(player: CompiledPlayer, batch: Batch, number: Any) -> None:
    """Reset memory and random numbers, so that a game depends only on the weights and its number."""
    memory = player.context.memory
    for i in range(len(memory)):
        memory[i] = batch.fresh[i]
    player.context.rng[0] = batch.stream + number * _APART


@inline
def _learn(
    game: GameWorkspace,
    evaluator: CompiledEvaluator,
    td: TDParameters,
    first: Any,
    known: Any,
    parity: Any,
    rewards: Any,
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
def _finish(
    game: GameWorkspace,
    evaluator: CompiledEvaluator,
    td: TDParameters,
    code: Any,
    parity: Any,
    opening: Any,
    rewards: Any,
) -> None:
    """Train on the outcome, if the player who moves at plies of this parity has moved after the opening at all."""
    if game.counters[slots.PLIES] <= opening + ((opening ^ parity) & 1):
        return
    if code & 3 == DRAW:
        reward = rewards[2 + parity]
    else:
        won = (code & 3 == WIN) == ((game.counters[slots.PLIES] & 1) == parity)
        reward = rewards[0] if won else rewards[1]
    # The reward must be seen from the same side as the evaluator's output.
    final_reward(evaluator, td, -evaluator.sign * reward)


Floats = NDArray[np.float32]
Names = tuple[str, str]
PHASES = ("training", "test", "tournament")
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
        net: Floats,
        opponent: Floats,
        seed: np.random.SeedSequence,
        *,
        adjudicate: bool = False,
        targets: bool = False,
        opening_plies: int = 0,
        epsilon: float = 0.0,
    ) -> None:
        self._parts = parts
        self._adjudicate, self._targets = np.uint64(adjudicate), np.uint64(targets)
        self._opening_plies = opening_plies
        self._explore = np.uint64(round(epsilon * (1 << 32)))
        self._has_oracles = bool(parts.oracles.size or parts.oracles.gate.size)
        self._rules = parts.game.rules
        self._material: Material = parts.game.material or (lambda state: (0.0, 0.0))
        self._game = game_workspace(parts.game.compiled, self._rules.draws)
        self._control = np.zeros(slots.CONTROLS, np.int64)
        self._players = self._player(net), self._player(opponent)
        self._fresh = self._players[0].context.memory.copy()
        names = (*PHASES, _EXPLORATION)
        self._streams = dict(zip(names, seed.spawn(1)[0].generate_state(len(names), np.uint64), strict=True))
        self._outcome = functools.cache(self._outcome_of)
        self._batch = 1

    def train(
        self,
        start: Start,
        sides: NDArray[np.int64],
        first: int,
        names: Names,
        session: int,
        tds: tuple[TDParameters, TDParameters | None],
    ) -> Iterator[PlayedBatch]:
        """Play training games in batches; the net has sides[i] in game first + i. The opponent learns with tds[1]."""
        done = 0
        td, other = tds
        while done < len(sides):
            n = min(self._batch, len(sides) - done)
            here = sides[done : done + n]
            batch = self._room(start, here, first + done, both=other is not None)
            began, before = time.perf_counter(), self._control.copy()
            interruptible(self._control, train_games, self._game, *self._players, td, other or td, batch)
            seconds = time.perf_counter() - began
            counts = (self._control - before).tolist() if self._has_oracles else [0] * slots.CONTROLS
            games = self._records(start, here, batch, first + done, names, session)
            ends = map(tuple, batch.ends.reshape(n, len(start.state)).tolist())
            yield PlayedBatch(games, list(map(self._material, ends)), seconds, counts[slots.PROBES], counts[slots.HITS])
            done += n
            self._batch = max(1, min(_BATCH_GAMES, round(_BATCH_SECONDS / max(seconds / n, 1e-9))))

    def test(self, start: Start, side: int, number: int, names: Names, session: int) -> GameRecord:
        """Play a test game, without learning; the net has this side."""
        players = self._players if side == 0 else self._players[::-1]
        return self._one("test", number, start.state, players, _by_side(names, side), session, side)

    def tournament(self, first: Floats, second: Floats, number: int, names: Names) -> GameRecord:
        """Play a tournament game between two nets from the initial position."""
        for player, weights in zip(self._guests, (first, second), strict=True):
            player.context.evaluator.weights[:] = weights
        return self._one("tournament", number, self._rules.initial(), self._guests, names)

    @functools.cached_property
    def _guests(self) -> tuple[CompiledPlayer, CompiledPlayer]:
        """Two players with their own weights, created only once: creating one takes as long as a short game."""
        weights = self._players[0].context.evaluator.weights
        return self._player(np.zeros_like(weights)), self._player(np.zeros_like(weights))

    def _player(self, weights: Floats) -> CompiledPlayer:
        """A player for this thread's games. All players share one STOP flag, so that Ctrl-C ends any search."""
        player = self._parts.compiled_player(self._game, weights)
        return player._replace(context=player.context._replace(control=self._control))

    def _stream(self, phase: str, number: int, side: int = 0) -> np.uint64:
        """The first random word of a player."""
        return np.uint64(words_of_game(int(self._streams[phase]), number)[side])

    def _room(self, start: Start, sides: NDArray[np.int64], number: int, *, both: bool) -> Batch:
        n = len(sides)
        return Batch(
            start=np.array(start.state, np.uint64),
            rewards=start.rewards,
            both=np.uint64(both),
            adjudicate=self._adjudicate,
            targets=self._targets,
            fresh=self._fresh,
            stream=self._stream("training", number),
            opening_plies=np.int64(self._opening_plies),
            explore=self._explore,
            chance=np.zeros(1, np.uint64),
            chances=self._stream(_EXPLORATION, number),
            parities=sides ^ start.first,
            codes=np.zeros(n, np.int64),
            plies=np.zeros(n, np.int64),
            moves=np.zeros(n * self._rules.draws.max_plies, np.uint64),
            ends=np.zeros(n * len(start.state), np.uint64),
        )

    def _records(
        self, start: Start, sides: NDArray[np.int64], batch: Batch, number: int, names: Names, session: int
    ) -> list[GameRecord]:
        """The records of a batch's games."""
        room = self._rules.draws.max_plies
        by_side = [_by_side(names, side) for side in (0, 1)]
        columns = zip(sides.tolist(), batch.codes.tolist(), batch.plies.tolist(), strict=True)
        return [
            GameRecord(
                phase="training",
                number=number + i,
                players=by_side[side],
                start=start.state,
                moves=tuple(batch.moves[i * room : i * room + plies].tolist()),
                outcome=self._outcome(code, (start.first + plies) % 2),
                session=session,
                learner=side,
                opening_plies=min(self._opening_plies, plies),
            )
            for i, (side, code, plies) in enumerate(columns)
        ]

    def _outcome_of(self, code: int, to_move: int) -> Outcome:
        outcome = outcome_of(self._rules, code, to_move)
        assert outcome is not None
        return outcome

    def _one(
        self,
        phase: str,
        number: int,
        start: State,
        players: tuple[CompiledPlayer, CompiledPlayer],
        names: Names,
        session: int = 0,
        learner: int | None = None,
    ) -> GameRecord:
        """Play a game without learning; players and names are those of the first and the second mover."""
        first = self._rules.side_to_move(start)
        for side, player in enumerate(players):
            player.context.memory[:] = self._fresh
            player.context.rng[0] = self._stream(phase, number, side)
        ordered = players if first == 0 else players[::-1]
        self._control[slots.STOP] = 0
        code = int(interruptible(self._control, play_game, self._game, *ordered, np.array(start, np.uint64)))
        moves: WordArray = self._game.played[: self._game.counters[slots.PLIES]]
        return GameRecord(
            phase=phase,
            number=number,
            players=names,
            start=start,
            moves=tuple(moves.tolist()),
            outcome=self._outcome(code, (first + len(moves)) % 2),
            session=session,
            learner=learner,
        )


def _by_side(names: Names, side: int) -> Names:
    """Names of the first and the second mover, if names[0] has this side."""
    return names if side == 0 else (names[1], names[0])
