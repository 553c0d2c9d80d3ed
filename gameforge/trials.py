"""The trials of an experiment, several at once."""

import json
import threading
import time
from collections.abc import Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from gameforge.experiments import Experiment, GameFinished, Result, Trial
from gameforge.learning import GameRecord
from gameforge.registry import Registry

Key = tuple[int, str]
"""A trial's seed and condition."""


class _Stopped(Exception):
    """Ends a trial that nobody waits for any more."""


def trial_keys(experiment: Experiment, seeds: int) -> list[Key]:
    """All trials, seed by seed: what is broken off early still has every condition."""
    return [(seed, condition) for seed in range(1, seeds + 1) for condition in experiment.conditions]


def estimate(experiment: Experiment, todo: list[Key], workers: int, scale: float) -> float:
    """Seconds that these trials take, about."""
    return sum(experiment.conditions[condition] for _, condition in todo) * scale / max(1, min(workers, len(todo)))


def finished_trials(
    experiment: Experiment,
    todo: list[Key],
    registry: Registry,
    workers: int,
    scale: float,
    game_finished: GameFinished,
) -> Generator[tuple[Result, float], None, None]:
    """Results as they are finished, with the seconds each took."""
    stop = threading.Event()
    counting = threading.Lock()

    def heard(game: GameRecord) -> None:
        if stop.is_set():
            raise _Stopped
        with counting:
            game_finished(game)

    def run(key: Key) -> tuple[Result, float]:
        seed, condition = key
        began = time.perf_counter()
        trial = Trial(condition=condition, seed=seed, registry=registry, scale=scale, game_finished=heard)
        numbers = json.loads(json.dumps(dict(experiment.run(trial))))  # as it is read back
        return Result(condition, seed, numbers), time.perf_counter() - began

    pool = ThreadPoolExecutor(min(workers, max(1, len(todo))), thread_name_prefix="gameforge-trial")
    try:
        running: set[Future[tuple[Result, float]]] = {pool.submit(run, key) for key in todo}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda future: future.exception() is not None):  # keep what is finished
                yield future.result()
    finally:  # also after Ctrl-C, or when a trial fails
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
