"""NeuroDraughts' procedure in float64 NumPy, in the order of its sources; and what a training did.

InitTDTrain(x0): e = 0, previous steps = 0, old = P(x0); e <- grad P(x0).
TDTrain(x): y = P(x); err = gamma * y - old; correct; old = P(x) again; e <- lambda * e + grad P(x).
TDFinal(r): err = r - old; correct.
Momentum is added to a step of the same sign as the previous one. Nothing of the plugin is used here
but `learner.train`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask
from gameforge.kernel.compile.functions import call
from gameforge.play.game import Game
from gameforge.play.parts import Parts

Numbers = NDArray[np.float64]


@attrs.define(kw_only=True)
class Procedure:
    """One net in training."""

    value: Callable[[Numbers, Numbers], float]
    gradient: Callable[[Numbers, Numbers], Numbers]
    w: Numbers
    rates: Numbers
    gamma: float = 0.98
    lambda_: float = 0.1
    momentum: float = 0.9
    sign_test: bool = True
    e: Any = None
    previous: Any = None
    old: float = 0.0

    def init_td_train(self, x: Numbers) -> None:
        self.previous = np.zeros_like(self.w)
        self.old = self.value(self.w, x)
        self.e = self.gradient(self.w, x)

    def td_train(self, x: Numbers, known: float | None = None) -> None:
        """A known value replaces the prediction for the new board."""
        self._correct(self.gamma * (self.value(self.w, x) if known is None else known) - self.old)
        self.old = self.value(self.w, x)
        self.e = self.lambda_ * self.e + self.gradient(self.w, x)

    def td_final(self, reward: float) -> None:
        self._correct(reward - self.old)

    def _correct(self, err: float) -> None:
        delta = self.rates * err * self.e
        same_sign = np.sign(delta) * np.sign(self.previous) > 0
        delta = np.where(same_sign | (not self.sign_test), delta + self.momentum * self.previous, delta)
        self.w = self.w + delta
        self.previous = delta

    def play_again(self, boards: list[Numbers], reward: float, known: Sequence[float | None] | None = None) -> None:
        """One game: the boards after the learner's own moves, with their values if these are known, then the reward."""
        known = [None] * len(boards) if known is None else known
        for i, x in enumerate(boards):
            if i == 0:
                self.init_td_train(x)
            else:
                self.td_train(x, known[i])
        if boards:
            self.td_final(reward)


@attrs.frozen
class Course:
    """What a training reported."""

    trained: Trained
    games: list[GameRecord]
    sessions: list[Progress]
    """With weights of their own."""
    states: list[tuple[LearnerState, int, int]] = attrs.field(factory=list)
    """All that could have been checkpoints, with the numbers of games and sessions reported before them."""
    notices: list[str] = attrs.field(factory=list)

    def of(self, phase: str, session: int = 0) -> list[GameRecord]:
        """Games of a phase, of one session or of all."""
        return [game for game in self.games if game.phase == phase and session in (0, game.session)]


def train(parts: Parts, learner: Any, seed: int = 1, saved: LearnerState | None = None) -> Course:
    games: list[GameRecord] = []
    sessions: list[Progress] = []
    states: list[tuple[LearnerState, int, int]] = []
    notices: list[str] = []
    task = TrainingTask(
        parts=parts,
        seed=np.random.SeedSequence(seed),
        game_finished=games.append,
        session_finished=lambda progress: sessions.append(attrs.evolve(progress, weights=progress.weights.copy())),
        checkpoint=lambda state: states.append((state(), len(games), len(sessions))),
        saved=saved,
        notice=notices.append,
    )
    return Course(learner.train(task), games, sessions, states, notices)


def boards(parts: Parts, game: GameRecord, side: int | None = None) -> list[Numbers]:
    """Inputs of the positions after the learner's own moves, or after this side's."""
    evaluator, (net, _) = parts.evaluation, parts.trainable()
    x = np.zeros(net.features.inputs + net.scratch, np.float32)
    found = []
    state = game.start
    side = game.learner if side is None else side
    for move in game.codes:
        mover = parts.game.rules.side_to_move(state)
        state = parts.game.play(state, move)
        if mover == side:
            call(evaluator.features, evaluator.features_data, np.array(state, np.uint64), x)
            found.append(x[: net.features.inputs].astype(np.float64))
    return found


def reward(game: GameRecord, draw: float = 0.0) -> float:
    if game.outcome.winner is None:
        return draw
    return 1.0 if game.outcome.winner == game.learner else -1.0


def final_state(game: Game, record: GameRecord) -> Any:
    state = record.start
    for move in record.codes:
        assert move in game.legal(state)
        state = game.play(state, move)
    return state
