"""What is done by workers: an individual is trained, the speed is measured."""

import contextlib
import time
from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.config import Spec
from gameforge.interfaces.features import Selectable
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import PlansGames, Progress, Site, TrainingTask
from gameforge.kernel.seeds import derived
from gameforge.play.parts import Parts

Floats = NDArray[np.float32]
COUNTED = ("probes", "hits")
"""Figures of inner learners that are summed up over the individuals."""


@attrs.frozen(eq=False)
class Training:
    """What became of an individual."""

    weights: Floats
    initial_weights: Floats
    games: int
    """Training games."""
    asked: Mapping[str, int]
    """How often oracles were asked, and knew: where the inner learner counts `probes` and `hits`."""
    seconds: float


class _Enough(Exception):
    """Ends a training whose speed is known."""


def parts_of(site: Site, names: Sequence[str]) -> Parts:
    """The pipeline's parts with these of its features."""
    features = site.parts.features
    assert isinstance(features, Selectable)
    return site.parts.with_features(features.selected(names))


def train(site: Site, inner: Spec, names: tuple[str, ...], seed: np.random.SeedSequence) -> Training:
    """Train an individual from scratch."""
    began = time.perf_counter()
    games = 0

    def game_finished(game: GameRecord) -> None:
        nonlocal games
        site.check()
        games += game.phase == "training"

    def session_finished(progress: Progress) -> None:
        site.check()

    trained = site.create("learner", inner).train(
        TrainingTask(
            parts=parts_of(site, names),
            seed=seed,
            game_finished=game_finished,
            session_finished=session_finished,
        )
    )
    asked = {key: int(trained.summary[key]) for key in COUNTED if key in trained.summary}
    return Training(trained.weights, trained.initial_weights, games, asked, time.perf_counter() - began)


def speed(
    site: Site, inner: Spec, names: tuple[str, ...], seed: np.random.SeedSequence, seconds: float
) -> tuple[float, int]:
    """(training games a second of one worker, training games of an individual or 0 if nobody knows).

    An individual is trained for so long, counted from its first game, before which kernels are compiled. A
    training that ends earlier is measured when it is made again: more was compiled in the course of it.
    """
    learner = site.create("learner", inner)
    parts = parts_of(site, names)
    games, began = 0, 0.0

    def game_finished(game: GameRecord) -> None:
        nonlocal games, began
        site.check()
        if not began:
            began = time.perf_counter()
        elif game.phase == "training":
            games += 1
            if time.perf_counter() - began > seconds:
                raise _Enough

    with contextlib.suppress(_Enough):
        for _ in range(2):
            games, began = 0, 0.0
            task = TrainingTask(
                parts=parts, seed=derived(seed), game_finished=game_finished, session_finished=lambda progress: None
            )
            learner.train(task)
    rate = games / (time.perf_counter() - began) if began else 0.0
    return rate, learner.training_games if isinstance(learner, PlansGames) else 0
