"""The games of a training: starting positions, batches of games that are learned from, and games without learning.

`Games` is what self-play uses. It hands batches to the kernels of game_kernels.py, and plays single test and tournament
games without learning.
"""

import functools
import time
from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, Parts
from gameforge.interfaces import GameRecord, NetFunctions, Outcome, State
from gameforge.kernel import U0, U1, U2, CompiledPlayer, FloatArray, IntegerArray, assembly, bits, interruptible, slots
from gameforge_learn_td.game_kernels import Batch, train_games, train_games_by_rule
from gameforge_learn_td.settings import Board, TDSettings
from gameforge_learn_td.td_rule import TDParameters
from gameforge_learn_td.trainee import MOST_NODES, RULES, Trainee, slopes_of


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
        self._rule, self._used = RULES[settings.rule], np.uint64(parts.search.stack)
        self._learners = U2 if settings.regime == "straight" else U1
        self._adjudicate, self._targets = np.uint64(settings.adjudicate), np.uint64(settings.target == "oracle")
        self._opening_plies = np.int64(settings.opening_plies)
        self._explore = bits.threshold(round(settings.epsilon * _UNITS) / _UNITS)
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
        stack = np.zeros(search.stack + room, np.uint64)
        return player._replace(search=function, context=player.context._replace(stack=stack))

    def opponent_changed(self) -> None:
        """Let the opponent play by its weights, which the caller has changed."""
        self._players[1].context.evaluator.weights[:] = self._layout.block(self._opponent)

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
            first=number,
            stream=self._streams[phase],
            opening_plies=np.int64(0),
            explore=U0,
            chance=np.zeros(1, np.uint64),
            chances=self._streams[_EXPLORATION],
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
                game=self._parts.game,
            )
            for i, (side, code, plies) in enumerate(columns)
        ]

    def _outcome_of(self, code: int, to_move: int) -> Outcome:
        outcome = Outcome.of(self._rules, code, to_move)
        assert outcome is not None
        return outcome
