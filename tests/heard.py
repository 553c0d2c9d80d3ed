"""Trainings without a run's folder, and all that they told."""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import attrs
import numpy as np

import gameforge as gf
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask
from gameforge.training.work import pipeline_work


@attrs.define(eq=False)
class Heard:
    """What a training told."""

    trained: Trained
    games: list[GameRecord]
    sessions: list[Progress]
    states: list[tuple[LearnerState, int, int]]
    """Each with the games and sessions before it."""
    notices: list[str]


def train(
    pipeline: gf.Pipeline,
    workers: int = 1,
    executor: Executor | None = None,
    saved: LearnerState | None = None,
    listen: Callable[[Progress], None] = lambda progress: None,
) -> Heard:
    heard = Heard(None, [], [], [], [])  # type: ignore[arg-type]
    parts = pipeline.parts()

    def session_finished(progress: Progress) -> None:
        heard.sessions.append(progress)
        listen(progress)

    with pipeline_work(pipeline, parts, executor, workers) as work:
        heard.trained = pipeline.learner.train(
            TrainingTask(
                parts=parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=heard.games.append,
                session_finished=session_finished,
                checkpoint=lambda state: heard.states.append((state(), len(heard.games), len(heard.sessions))),
                saved=saved,
                notice=heard.notices.append,
                work=work,
            )
        )
    return heard


def numbers(progress: Progress) -> dict[str, Any]:
    """What does not depend on the time that it took."""
    return {name: value for name, value in progress.numbers.items() if name != "games_per_second"}


def same(one: Heard, whole: Heard, games: int = 0, sessions: int = 0) -> None:
    """One is the rest of the whole behind so many games and sessions."""
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
