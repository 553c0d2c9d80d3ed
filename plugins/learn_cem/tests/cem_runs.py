"""Trainings of the toys by the learner `cem`."""

import functools
from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gameforge as gf
from gameforge.learning import GameRecord, LearnerState, Progress, Trained, TrainingTask
from gameforge.plugins import load
from gameforge.registry import Registry
from gameforge.work import pipeline_work

TOYS = Path(__file__).with_name("cem_toys.py")
SMALL = {"iterations": 4, "samples": 6, "games": 4, "openings": "random:0", "tune": {"searcher": {"aim": [0, 1]}}}


@functools.cache
def registry() -> Registry:
    """Discovered once a test process."""
    return Registry(load([TOYS]))


def pipeline(changes: Mapping[str, Any] | None = None, seed: int = 5, **parts: Any) -> gf.Pipeline:
    """The toys, with these parameters of the learner and perhaps other parts."""
    learner = {"use": "cem", **SMALL, **(changes or {})}
    return gf.Pipeline(
        registry=registry(), seed=seed, **({"game": "target", "searcher": "thrower", "learner": learner} | parts)
    )


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
    pipeline: gf.Pipeline, workers: int = 1, executor: Executor | None = None, saved: LearnerState | None = None
) -> Heard:
    heard = Heard(None, [], [], [], [])  # type: ignore[arg-type]
    parts = pipeline.parts()
    with pipeline_work(pipeline, parts, executor, workers) as work:
        heard.trained = pipeline.learner.train(
            TrainingTask(
                parts=parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=heard.games.append,
                session_finished=heard.sessions.append,
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
