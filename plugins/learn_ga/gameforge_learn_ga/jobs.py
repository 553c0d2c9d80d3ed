"""Jobs for worker threads and machines: train an individual, and measure the speed of training."""

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
"""Figures of inner learners that are added up over the individuals."""


@attrs.frozen(eq=False)
class Training:
    """The trained net of an individual."""

    weights: Floats
    initial_weights: Floats
    games: int
    """Training games."""
    lookups: Mapping[str, int]
    """Oracle lookups, `probes` and `hits`, if the inner learner counts them."""
    seconds: float


class _Measured(Exception):
    """Ends a trial training as soon as its speed is known."""


def parts_of(site: Site, names: Sequence[str]) -> Parts:
    """The pipeline's parts, with only these features."""
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
    lookups = {key: int(trained.summary[key]) for key in COUNTED if key in trained.summary}
    return Training(trained.weights, trained.initial_weights, games, lookups, time.perf_counter() - began)


def speed(
    site: Site, inner: Spec, names: tuple[str, ...], seed: np.random.SeedSequence, seconds: float
) -> tuple[float, int]:
    """(training games per second of one worker, training games per individual or 0 if unknown).

    Trains an individual for this many seconds after its first game, which compiles the kernels. A training that ends
    earlier is measured in a second pass, because the first pass also spent time on compilation.
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
                raise _Measured

    with contextlib.suppress(_Measured):
        for _ in range(2):
            games, began = 0, 0.0
            task = TrainingTask(
                parts=parts, seed=derived(seed), game_finished=game_finished, session_finished=lambda progress: None
            )
            learner.train(task)
    rate = games / (time.perf_counter() - began) if began else 0.0
    return rate, learner.training_games if isinstance(learner, PlansGames) else 0
