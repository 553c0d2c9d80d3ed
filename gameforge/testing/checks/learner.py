"""What learners must do. A whole training is made three times: give the learner small settings."""

import functools
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Progress, Trained, TrainingTask, Tuner
from gameforge.play.game import Game, Position
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.testing.contract import Broken, Check, Contract, Skipped, expect
from gameforge.testing.toy import Greedy, Linear, Pile, Remainders, Theory
from gameforge.training.work import pipeline_work


@attrs.frozen
class Training:
    """What a training returned, and what it told while it went on."""

    trained: Trained
    games: list[GameRecord]
    sessions: list[tuple[Progress, Any]]
    """With a copy of the weights at that time."""


@attrs.frozen(slots=False)
class Taught:
    """A learner and the pipeline that it trains."""

    component: Any
    pipeline: Pipeline
    parts: Parts
    seed: int

    def train(self, workers: int = 1) -> Training:
        """A whole training."""
        games: list[GameRecord] = []
        sessions: list[tuple[Progress, Any]] = []
        with pipeline_work(self.pipeline, self.parts, None, workers) as work:
            task = TrainingTask(
                parts=self.parts,
                seed=np.random.SeedSequence(self.seed),
                game_finished=games.append,
                session_finished=lambda progress: sessions.append((progress, np.array(progress.weights))),
                work=work,
            )
            return Training(self.component.train(task), games, sessions)

    @functools.cached_property
    def first(self) -> Training:
        """The training that most checks look at."""
        return self.train()


def prepare(
    component: Any, game: Game | None, features: Any, registry: Any, seed: int, evaluator: Any = None
) -> Taught:
    """A method train(task)."""
    expect(callable(getattr(component, "train", None)), "it has no method train(task)")
    parts: dict[str, Any] = {}
    if game is None:
        parts = {"searcher": Greedy(), "evaluator": Linear(), "features": Remainders()}
    parts |= {kind: one for kind, one in (("evaluator", evaluator), ("features", features)) if one is not None}
    pipeline = Pipeline(game=game or Pile(), learner=component, oracle="none", registry=registry, **parts)
    return Taught(component, pipeline, pipeline.parts(), seed)


def what_is_returned_fits_the_net(learner: Taught) -> int:
    """Weights of the net's size, finite; the first ones, too; figures that a run can save."""
    trained = learner.first.trained
    expect(isinstance(trained, Trained), f"train() returned {trained!r}, not Trained")
    size = learner.parts.tunable()[0].length
    for name, weights in (("weights", trained.weights), ("initial_weights", trained.initial_weights)):
        if not (isinstance(weights, np.ndarray) and weights.dtype == np.float32 and weights.shape == (size,)):
            raise Broken(f"{name} is not an array of {size} float32")
        expect(bool(np.isfinite(weights).all()), f"{name} holds {weights[~np.isfinite(weights)][:1]}")
    return 2


def sessions_are_told_in_order(learner: Taught) -> int:
    told = [progress for progress, _ in learner.first.sessions]
    expect(told != [], "session_finished was never called: nobody can follow the training")
    numbers = [progress.session for progress in told]
    expect(numbers == sorted(set(numbers)) and numbers[0] >= 1, f"the sessions were told as {numbers}")
    last = told[-1]
    expect(last.session == last.sessions, f"the last session told is {last.session} of {last.sessions}")
    games = [progress.games for progress in told]
    expect(games == sorted(games) and games[-1] <= last.total, f"the games were told as {games} of {last.total}")
    return len(told)


def games_are_told_as_they_were_played(learner: Taught) -> int:
    """Every move legal, and the outcome that of the rules."""
    game = learner.parts.game
    for record in learner.first.games:
        here, where = Position(game, record.start), f"{record.phase} game {record.number}"
        for ply, move in enumerate(record.moves, start=1):
            expect(move in here.codes, f"{where}: move {ply}, {move:#x}, is not legal")
            here = here.after(move)
        expect(here.outcome == record.outcome, f"{where} is told as {record.outcome}, but is {here.outcome}")
    return len(learner.first.games)


def the_same_seed_gives_the_same_weights(learner: Taught) -> int:
    """Whoever does its work."""
    again = learner.train(workers=3)
    one, other = (np.array(training.trained.weights) for training in (learner.first, again))
    expect(np.array_equal(one, other), "two trainings with one seed end with different weights")
    return 1


def first_weights_are_kept(learner: Taught) -> int:
    """They are what the seed gives, not what the training made of them."""
    start, end = learner.first.trained.initial_weights, learner.first.trained.weights
    expect(
        start is not end and not np.shares_memory(np.asarray(start), np.asarray(end)),
        "initial_weights and weights are one array",
    )
    return 1


def an_evaluator_without_weights_is_refused(learner: Taught) -> int:
    if isinstance(learner.component, Tuner):
        raise Skipped("it chooses parameters")
    pipeline = Pipeline(
        game=learner.parts.game, searcher=Greedy(), evaluator=Theory(), learner=learner.component, oracle="none"
    )
    try:
        attrs.evolve(learner, pipeline=pipeline, parts=pipeline.parts()).train()
    except GameforgeError:
        return 1
    raise Broken("it trains an evaluator that has no weights; task.parts.tunable() refuses")


CONTRACT = Contract(
    prepare,
    tuple(
        map(
            Check.of,
            (
                what_is_returned_fits_the_net,
                sessions_are_told_in_order,
                games_are_told_as_they_were_played,
                the_same_seed_gives_the_same_weights,
                first_weights_are_kept,
                an_evaluator_without_weights_is_refused,
            ),
        )
    ),
)
