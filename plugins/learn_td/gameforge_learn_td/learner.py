"""The learner `td`: sessions of self-play against a clone (seeds 000 and 004; sheet 03, section 3)."""

import time
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.evaluation import NetKernel
from gameforge.game import outcome_of
from gameforge.kernel.context import CONTROLS, PlayerTable, Words
from gameforge.kernel.game import play_game
from gameforge.kernel.launch import interruptible
from gameforge.kernel.tables import check, game_table
from gameforge.learning import GameRecord, Progress, Trained, TrainingTask
from gameforge_learn_td.selfplay import train_games
from gameforge_learn_td.td_rule import TDTable
from gameforge_learn_td.tournament import best_of

Floats = NDArray[np.float32]
Candidate = tuple[str, Floats]
"""A net of the final tournament: its name and its weights."""
_BATCH_SECONDS = 0.2
"""Games are handed out of the kernel about this often; results do not depend on it."""
_BATCH_GAMES = 64

_at_least_0: Any = attrs.validators.ge(0)
_share: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))


@attrs.frozen(kw_only=True)
class TD:
    """TD(lambda) self-play with cloning.

    A session: the net plays its clone, with each colour in every other game, and only the net
    learns. Two test games follow, one with each colour; with `clone_points` or more (win 2,
    draw 1) the clone becomes a copy of the net. At the end the net and all its clones play a
    tournament, whose winner is the result.
    """

    sessions: int = attrs.field(default=10, validator=attrs.validators.ge(1))
    games: int = attrs.field(default=200, validator=attrs.validators.ge(1))
    """Training games of a session."""
    lambda_: float = attrs.field(default=0.1, validator=_share)
    gamma: float = attrs.field(default=0.98, validator=_share)
    momentum: float = attrs.field(default=0.9, validator=_share)
    """Share of a weight's previous step added to a step of the same sign."""
    rate1: float = attrs.field(default=0.0, validator=_at_least_0)
    """Learning rate of the weights that leave inputs; 0 means 1 / inputs."""
    rate2: float = attrs.field(default=0.0, validator=_at_least_0)
    """Learning rate of the weights that leave hidden units; 0 means 1 / hidden units."""
    clone_points: int = attrs.field(default=3, validator=[_at_least_0, attrs.validators.le(4)])
    draw: float = attrs.field(default=0.0, validator=[attrs.validators.ge(-1), attrs.validators.le(1)])
    """Reward of a draw; a win is 1, a loss -1."""

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights to train, or if training diverges."""
        return _Training(self, task).run()


class _Training:
    """The course of one training."""

    def __init__(self, settings: TD, task: TrainingTask) -> None:
        self.settings, self.task = settings, task
        parts = task.parts
        self.rules = parts.game.rules
        net, _ = parts.trainable()
        self.initial: Floats = parts.initial_weights(np.random.default_rng(task.seed))
        self.net, self.clone = self.initial.copy(), self.initial.copy()
        self.game = game_table(parts.game.table, self.rules.draws)
        self.control = np.zeros(CONTROLS, np.int64)
        self.learner, self.opponent = self._player(self.net), self._player(self.clone)
        self.td = TDTable(
            gamma=np.float64(settings.gamma),
            lambda_=np.float32(settings.lambda_),
            momentum=np.float32(settings.momentum),
            rates=_rates(net, settings),
            trace=np.zeros_like(self.net),
            steps=np.zeros_like(self.net),
            prediction=np.zeros(1, np.float64),
        )
        self.rewards = np.array([1, -1, settings.draw, settings.draw], np.float64)
        self.start = np.array(self.rules.initial(), np.uint64)
        self.generations: list[Candidate] = []
        self.played = 0
        self.tournament_games = 0

    def run(self) -> Trained:
        total = self.settings.sessions * self.settings.games
        counts = {"wins": 0, "losses": 0, "draws": 0, "loops": 0}
        for session in range(1, self.settings.sessions + 1):
            began = time.perf_counter()
            numbers: dict[str, float | int | bool] = dict.fromkeys(counts, 0)
            plies = 0
            for record in self._training_games(session):
                assert record.learner is not None
                points = record.outcome.points(record.learner)
                numbers["losses" if points == 0 else "draws" if points == 1 else "wins"] += 1
                numbers["loops"] += record.outcome.loop
                plies += len(record.moves)
                self.task.game_finished(record)
            seconds = time.perf_counter() - began
            for name in counts:
                counts[name] += int(numbers[name])
            if not np.isfinite(self.net).all():
                raise GameforgeError(
                    f"learner td: the weights diverged in session {session}; lower rate1, rate2 or momentum"
                )
            points = self._test(session)
            cloned = points >= self.settings.clone_points
            if cloned:
                self.clone[:] = self.net
                self.generations.append((f"clone {len(self.generations) + 1}", self.net.copy()))
            numbers |= {
                "test_points": points,
                "cloned": cloned,
                "mean_plies": plies / self.settings.games,
                "games_per_second": self.settings.games / seconds,
            }
            self.task.session_finished(
                Progress(
                    session=session,
                    sessions=self.settings.sessions,
                    games=self.played,
                    total=total,
                    weights=self.net,
                    numbers=numbers,
                )
            )
        candidates = [*self.generations, ("net", self.net)]
        winner = best_of(candidates, self._tournament_game)
        summary = {"games": total, **counts, "clones": len(self.generations), "best": winner + 1, "of": len(candidates)}
        return Trained(weights=candidates[winner][1].copy(), initial_weights=self.initial, summary=summary)

    def _training_games(self, session: int) -> Iterator[GameRecord]:
        room = self.rules.draws.max_plies
        batch, done = 1, 0
        while done < self.settings.games:
            n = min(batch, self.settings.games - done)
            sides = np.arange(done, done + n, dtype=np.int64) % 2
            codes, plies = np.zeros(n, np.int64), np.zeros(n, np.int64)
            moves = np.zeros(n * room, np.uint64)
            began = time.perf_counter()
            interruptible(
                self.control,
                train_games,
                *(self.game, self.learner, self.opponent, self.td, self.rewards, self.start),
                *(sides, codes, plies, moves),
            )
            check(self.learner, self.opponent)
            seconds = time.perf_counter() - began
            for i in range(n):
                self.played += 1
                line = moves[i * room : i * room + int(plies[i])]
                yield self._record("training", self.played, int(codes[i]), line, session=session, learner=int(sides[i]))
            done += n
            batch = max(1, min(_BATCH_GAMES, round(n * _BATCH_SECONDS / seconds)))

    def _test(self, session: int) -> int:
        """Points of the net in two games against its clone, one with each colour; nobody learns."""
        points = 0
        for side, players in enumerate(((self.learner, self.opponent), (self.opponent, self.learner))):
            code, moves = self._one_game(*players)
            record = self._record("test", 2 * session - 1 + side, code, moves, session=session, learner=side)
            points += record.outcome.points(side)
            self.task.game_finished(record)
        return points

    def _tournament_game(self, first: Candidate, second: Candidate) -> int | None:
        """Winner of a tournament game: 0, 1, or None for a draw."""
        (first_name, first_weights), (second_name, second_weights) = first, second
        code, moves = self._one_game(self._player(first_weights), self._player(second_weights))
        self.tournament_games += 1
        record = self._record("tournament", self.tournament_games, code, moves, players=(first_name, second_name))
        self.task.game_finished(record)
        return record.outcome.winner

    def _player(self, weights: Floats) -> PlayerTable:
        """A player at this thread's game; all share one STOP flag, so that Ctrl-C ends any search."""
        player = self.task.parts.table(self.game, weights)
        return player._replace(context=player.context._replace(control=self.control))

    def _one_game(self, first: PlayerTable, second: PlayerTable) -> tuple[int, Words]:
        """(final code, moves) of a game in which nobody learns."""
        code = int(interruptible(self.control, play_game, self.game, first, second, self.start))
        check(first, second)
        return code, self.game.played[: self.game.counters[0]]

    def _record(
        self,
        phase: str,
        number: int,
        code: int,
        moves: Words,
        *,
        players: tuple[str, str] | None = None,
        session: int = 0,
        learner: int | None = None,
    ) -> GameRecord:
        """A finished game; without names it is one of the net and its clone."""
        start = self.rules.initial()
        outcome = outcome_of(self.rules, code, (self.rules.side_to_move(start) + len(moves)) % 2)
        assert outcome is not None
        return GameRecord(
            phase=phase,
            number=number,
            players=players or (("net", "clone") if learner == 0 else ("clone", "net")),
            start=start,
            moves=tuple(moves.tolist()),
            outcome=outcome,
            session=session,
            learner=learner,
        )


def _rates(net: NetKernel, settings: TD) -> Floats:
    """Learning rate of each weight."""
    rates = np.zeros(net.weights, np.float32)
    for group in net.groups:
        given = settings.rate1 if group.source == "inputs" else settings.rate2
        rates[group.start : group.stop] = given or 1 / group.fan_in
    return rates
