"""The games of a training: batches in which a net learns, and single games without learning."""

import functools
import time
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.capabilities import Material
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.outcome import Outcome, outcome_of
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.context import CONTROLS, HITS, PLIES, PROBES, STOP, CompiledPlayer, Words
from gameforge.kernel.game import play_game
from gameforge.kernel.seeds import words_of_game
from gameforge.play.parts import Parts
from gameforge_learn_td.starts import Start
from gameforge_learn_td.td_rule import TDParameters
from gameforge_learn_td.training_games import Batch, train_games

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
        self._control = np.zeros(CONTROLS, np.int64)
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
            counts = (self._control - before).tolist() if self._has_oracles else [0] * CONTROLS
            games = self._records(start, here, batch, first + done, names, session)
            ends = map(tuple, batch.ends.reshape(n, len(start.state)).tolist())
            yield PlayedBatch(games, list(map(self._material, ends)), seconds, counts[PROBES], counts[HITS])
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
        self._control[STOP] = 0
        code = int(interruptible(self._control, play_game, self._game, *ordered, np.array(start, np.uint64)))
        moves: Words = self._game.played[: self._game.counters[PLIES]]
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
