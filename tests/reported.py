"""Trainings without the folder of a run, and everything that they report."""

import functools
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import attrs
import numpy as np

import gameforge as gf
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import LearnerState, Progress, Step, Trained, TrainingTask
from gameforge.records.game_records import check_record
from gameforge.training.work import pipeline_work


@attrs.define(eq=False)
class Reported:
    """The result of a training, and what it reported."""

    trained: Trained
    games: list[GameRecord]
    sessions: list[Progress]
    states: list[tuple[LearnerState, int, int]]
    """Each checkpoint with the numbers of games and sessions before it."""
    notices: list[str]
    steps: list[Step]


def train(
    pipeline: gf.Pipeline,
    workers: int = 1,
    executor: Executor | None = None,
    saved: LearnerState | None = None,
    listen: Callable[[Progress], None] = lambda progress: None,
) -> Reported:
    reported = Reported(None, [], [], [], [], [])  # type: ignore[arg-type]
    parts = pipeline.parts()

    def session_finished(progress: Progress) -> None:
        reported.sessions.append(progress)
        listen(progress)

    with pipeline_work(pipeline, parts, executor, workers) as work:
        reported.trained = pipeline.learner.train(
            TrainingTask(
                parts=parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=reported.games.append,
                session_finished=session_finished,
                checkpoint=lambda state: reported.states.append((state(), len(reported.games), len(reported.sessions))),
                saved=saved,
                check_game=functools.partial(check_record, parts.game),
                notice=reported.notices.append,
                step_advanced=reported.steps.append,
                work=work,
            )
        )
    return reported


def numbers(progress: Progress) -> dict[str, Any]:
    """The figures that do not depend on time."""
    return {name: value for name, value in progress.numbers.items() if name != "games_per_second"}


def same(one: Reported, whole: Reported, games: int = 0, sessions: int = 0) -> None:
    """Assert that `one` is the rest of `whole` after this many games and sessions."""
    assert one.games == whole.games[games:]
    assert list(map(numbers, one.sessions)) == list(map(numbers, whole.sessions[sessions:]))
    assert one.trained.summary == whole.trained.summary
    assert one.trained.settings == whole.trained.settings
    assert one.trained.features == whole.trained.features
    assert one.trained.generation_features == whole.trained.generation_features
    for (name, weights), (other, others) in zip(one.trained.generations, whole.trained.generations, strict=True):
        assert name == other
        np.testing.assert_array_equal(weights, others)
    np.testing.assert_array_equal(one.trained.weights, whole.trained.weights)
    np.testing.assert_array_equal(one.trained.initial_weights, whole.trained.initial_weights)
