"""The contract of learners. The checks run whole trainings several times, so the learner should have small settings."""

import functools

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Learner, Progress, Trained, TrainingTask, Tuner
from gameforge.play.game import Position
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.testing.contract import Broken, Contract, Given, Skipped, checks_of, expect
from gameforge.testing.toy import Greedy, Linear, Remainders, Theory
from gameforge.training.work import pipeline_work


@attrs.frozen
class Training:
    """The result of a training, and everything that it reported."""

    trained: Trained
    games: list[GameRecord]
    sessions: list[Progress]
    """Progress after each session."""


@attrs.frozen(slots=False)
class Taught:
    """A learner, and the pipeline that it trains."""

    component: Learner
    pipeline: Pipeline
    parts: Parts
    seed: int

    def train(self, workers: int = 1) -> Training:
        """Run a whole training."""
        games: list[GameRecord] = []
        sessions: list[Progress] = []
        with pipeline_work(self.pipeline, self.parts, None, workers) as work:
            task = TrainingTask(
                parts=self.parts,
                seed=np.random.SeedSequence(self.seed),
                game_finished=games.append,
                session_finished=sessions.append,
                work=work,
            )
            return Training(self.component.train(task), games, sessions)

    @functools.cached_property
    def first(self) -> Training:
        """The training that most checks examine."""
        return self.train()


def prepare(given: Given) -> Taught:
    """Check that there is a method train(task)."""
    expect(callable(getattr(given.component, "train", None)), "the learner has no method train(task)")
    evaluator, features, is_toy = given.evaluator, given.features, given.game is None
    pipeline = Pipeline(
        game=given.played,
        searcher=Greedy() if is_toy else None,
        evaluator=Linear() if is_toy and evaluator is None else evaluator,
        features=Remainders() if is_toy and features is None else features,
        learner=given.component,
        oracle="none",
        registry=given.registry,
    )
    return Taught(given.component, pipeline, pipeline.parts(), given.seed)


def the_result_fits_the_net(learner: Taught) -> int:
    """Check that weights and initial weights are finite and have the net's size."""
    trained = learner.first.trained
    expect(isinstance(trained, Trained), f"train() returned {trained!r}, not Trained")
    size = learner.parts.tunable()[0].length
    for name, weights in (("weights", trained.weights), ("initial_weights", trained.initial_weights)):
        if not (isinstance(weights, np.ndarray) and weights.dtype == np.float32 and weights.shape == (size,)):
            raise Broken(f"{name} is not an array of {size} float32")
        expect(bool(np.isfinite(weights).all()), f"{name} contains {weights[~np.isfinite(weights)][:1]}")
    return 2


def sessions_are_reported_in_order(learner: Taught) -> int:
    reported = learner.first.sessions
    expect(reported != [], "session_finished was never called, so the training reports no progress")
    numbers = [progress.session for progress in reported]
    increase = numbers == sorted(set(numbers)) and numbers[0] >= 1
    expect(increase, f"sessions were reported as {numbers}: must increase from 1")
    last = reported[-1]
    expect(last.session == last.sessions, f"the last reported session is {last.session} of {last.sessions}")
    games = [progress.games for progress in reported]
    increase = games == sorted(games) and games[-1] <= last.total
    expect(increase, f"numbers of games were reported as {games}: must increase to at most {last.total}")
    return len(reported)


def games_are_reported_as_they_were_played(learner: Taught) -> int:
    """Check that every reported move is legal, and that the reported outcome is that of the rules."""
    game = learner.parts.game
    for record in learner.first.games:
        position, where = Position(game, record.start), f"{record.phase} game {record.number}"
        for ply, move in enumerate(record.codes, start=1):
            expect(move in position.codes, f"{where}: move {ply}, {move:#x}, is not legal")
            position = position.after(move)
        differ = f"{where}: the reported outcome is {record.outcome}, but the rules say {position.outcome}"
        expect(position.outcome == record.outcome, differ)
    return len(learner.first.games)


def the_same_seed_gives_the_same_weights(learner: Taught) -> int:
    """Check that the weights do not depend on the number of workers."""
    again = learner.train(workers=3)
    one, other = (np.array(training.trained.weights) for training in (learner.first, again))
    expect(np.array_equal(one, other), "two trainings with the same seed end with different weights")
    return 1


def initial_weights_are_kept(learner: Taught) -> int:
    """Check that the training has not overwritten the initial weights."""
    start, end = learner.first.trained.initial_weights, learner.first.trained.weights
    apart = start is not end and not np.shares_memory(np.asarray(start), np.asarray(end))
    expect(apart, "initial_weights and weights are the same array")
    return 1


def an_evaluator_without_weights_is_rejected(learner: Taught) -> int:
    if isinstance(learner.component, Tuner):
        raise Skipped("the learner chooses parameters")
    pipeline = Pipeline(
        game=learner.parts.game, searcher=Greedy(), evaluator=Theory(), learner=learner.component, oracle="none"
    )
    try:
        attrs.evolve(learner, pipeline=pipeline, parts=pipeline.parts()).train()
    except GameforgeError:
        return 1
    raise Broken("train() accepts an evaluator without weights; task.parts.tunable() would raise GameforgeError")


CONTRACT = Contract(prepare, checks_of(__name__))
