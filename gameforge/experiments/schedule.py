"""The trials of an experiment or a study: their order, their cost, running several at once, and the finished ones.

Finished trials are lines of a file in the experiment's folder. Costs were estimated on one computer; the speed of this
one relative to it is measured.
"""

import contextlib
import graphlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Protocol

import attrs

from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.experiments.seed_runs import seed_folder
from gameforge.experiments.trial import GameFinished, Trial
from gameforge.interfaces.experiment import Costed, Experiment, Result, Staged
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Numbers
from gameforge.kernel.parallel import PATIENCE, Stopped, Threads
from gameforge.storage.stored import read_as

Key = tuple[int, str]
"""A trial's seed and condition."""
_WATCH_SECONDS = 0.2
"""Timeout of each wait: without one, a thread may miss a Ctrl-C that the system delivers to another thread."""
Noticed = Callable[[Key, str], None]
"""Called with each sentence that a trial shows to the user."""


class HasTrials(Protocol):
    """What runs trials here: an Experiment, or a study. Either may be Staged."""

    @property
    def conditions(self) -> Mapping[str, float]:
        """The conditions of which each seed has a trial."""
        ...

    def run(self, trial: Trial) -> Mapping[str, object]:
        """Run a trial and return its figures, JSON-serialisable."""
        ...


@attrs.frozen(kw_only=True)
class TrialResources:
    """Resources and callbacks that trials share."""

    registry: Registry
    folder: Path
    """Holds a folder for each seed whose trials need one."""
    scale: float = 1.0
    workers: int = 1
    """Number of trials that run at once, and of threads for the learners' independent work."""
    executor: Executor | None = None
    """Runs the learners' independent work in place of these threads."""
    game_finished: GameFinished = lambda game: None
    noticed: Noticed = lambda key, text: None


def trial_keys(experiment: Experiment, seeds: int) -> list[Key]:
    """Return all trials, seed by seed, so that an interrupted experiment has all conditions of its first seeds."""
    return [(seed, condition) for seed in range(1, seeds + 1) for condition in experiment.conditions]


def estimate(experiment: Experiment, todo: Sequence[Key], at_once: int, scale: float) -> float:
    """Estimate how many seconds these trials take if `at_once` of them run in parallel, each on its own core."""
    seconds = sum(seconds_of(experiment, condition, scale) for _, condition in todo)
    return seconds / max(1, min(at_once, len(todo)))


def finished_trials(
    experiment: HasTrials, todo: Sequence[Key], before: Mapping[Key, Result], resources: TrialResources
) -> Generator[tuple[Result, float], None, None]:
    """Run trials; yield each result and the seconds that the trial took, in the order in which they finish.

    Trials start in the order of `todo`, each as soon as those that it depends on are finished and a worker is free.
    before: results that exist already.
    """
    needed = needed_before(experiment)
    results = dict(before)
    waiting = list(todo)
    running: dict[Future[tuple[Result, float]], Key] = {}
    stop, counting = threading.Event(), threading.Lock()

    def check() -> None:
        if stop.is_set():
            raise Stopped

    def count_game(game: GameRecord) -> None:
        check()
        with counting:
            resources.game_finished(game)

    def run(key: Key, earlier: Mapping[str, Numbers]) -> tuple[Result, float]:
        seed, condition = key
        began = time.perf_counter()
        trial = Trial(
            condition=condition,
            seed=seed,
            registry=resources.registry,
            scale=resources.scale,
            earlier=earlier,
            game_finished=count_game,
            check=check,
            notice=lambda text: resources.noticed(key, text),
            executor=resources.executor or crew,
            home=seed_folder(resources.folder, seed),
            share=lambda: max(1, resources.workers // max(1, len(running))),
        )
        read = any((seed, name) in before for name in needed[condition])
        damage = damage_named(resources.folder / TRIALS, f"run {condition}", WRONG_FIGURES)
        with damage if read else contextlib.nullcontext():
            numbers = json.loads(json.dumps(dict(experiment.run(trial))))  # as they are read back from the log
        return Result(condition, seed, numbers), time.perf_counter() - began

    def begin() -> None:
        for seed, condition in list(waiting):
            if len(running) < resources.workers and all((seed, name) in results for name in needed[condition]):
                earlier = {name: results[seed, name].numbers for name in needed[condition]}
                waiting.remove((seed, condition))
                running[pool.submit(run, (seed, condition), earlier)] = seed, condition

    pool, crew = Threads(resources.workers, "trial"), Threads(resources.workers, "work")
    try:
        while waiting or running:
            begin()
            done, _ = wait(running, _WATCH_SECONDS, FIRST_COMPLETED)
            for future in sorted(done, key=lambda future: future.exception() is not None):  # failures last
                key = running.pop(future)
                results[key], seconds = future.result()
                yield results[key], seconds
    finally:  # also after Ctrl-C, or when a trial fails
        stop.set()
        crew.abandon()
        pool.abandon(2 * PATIENCE)  # trials first wait for their own matches and for the crew


def seconds_of(experiment: Experiment, condition: str, scale: float) -> float:
    """Estimate the time of a trial of this condition on one core, in seconds."""
    if isinstance(experiment, Costed):
        return experiment.seconds(condition, scale)
    return experiment.conditions[condition] * scale


def needed_before(experiment: HasTrials) -> Mapping[str, tuple[str, ...]]:
    """Map each condition to those that it depends on; GameforgeError if one is unknown, or if they form a cycle."""
    stages = experiment.after if isinstance(experiment, Staged) else {}
    known = list(experiment.conditions)
    for condition, before in stages.items():
        for name in (condition, *before):
            if name not in known:
                raise GameforgeError(
                    f"{type(experiment).__name__}.after names {name!r}, which is not a condition{near(name, known)}; "
                    f"conditions: {', '.join(known)}"
                )
    try:
        graphlib.TopologicalSorter(stages).prepare()
    except graphlib.CycleError as error:
        ring = " after ".join(map(repr, error.args[1][::-1]))
        raise GameforgeError(f"{type(experiment).__name__}.after has a cycle: {ring}") from error
    return {condition: tuple(stages.get(condition, ())) for condition in known}


TRIALS = "trials.jsonl"
WRONG_FIGURES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What figures raise that are missing or of another kind."""
OTHER_SOURCE = (
    "finished trials in this folder were run by another state of the source code, which may change their figures; "
    "the report will say so. To run all trials by the present one, use another folder"
)


@attrs.frozen
class _Origin:
    """Where a stored trial comes from."""

    source: str = ""
    """State of the source that ran it; empty if it is not known."""


def read_trial(stored: object, conditions: Container[str]) -> tuple[Result, str]:
    """Read a line of trials.jsonl: (result, state of the source that ran the trial).

    Raises GameforgeError if the line is damaged or its condition unknown.
    """
    result = read_as(Result, stored)
    if result.condition not in conditions:
        raise GameforgeError(f"the experiment has no condition {result.condition!r}")
    return result, read_as(_Origin, stored).source


def mixed_sources(sources: Sequence[str]) -> str:
    """Return a sentence about trials that were not all run by one state of the source; empty if they were."""
    counted = Counter(f"`{source}`" if source else "an unknown one" for source in sources)
    if len(counted) < 2:
        return ""
    states = ", ".join(f"{number} by {state}" for state, number in counted.items())
    return (
        f"**The {len(sources)} trials were run by different states of the source code** of GameForge or its plugins "
        f"({states}), which may change their figures."
    )


@contextlib.contextmanager
def damage_named(
    trials: Path, what: str, errors: type[Exception] | tuple[type[Exception], ...] = Exception
) -> Iterator[None]:
    """Raise GameforgeError if one of the errors keeps `what` from being done with figures that were read from a file.

    Only the experiment knows which figures a trial has, so there is no schema for them.
    """
    try:
        yield
    except GameforgeError:
        raise
    except errors as error:
        raise GameforgeError(
            f"cannot {what} from the figures in {trials}; they may be damaged: {type(error).__name__}: {error}"
        ) from error


_REFERENCE = 0.0415
"""Processor seconds of the task on one core of a virtual AMD EPYC (Zen 4)."""
_REPEATS = 3


def relative_speed() -> float:
    """Time a short task, in processor time; 2.0 means twice as fast. Takes about a tenth of a second."""
    return _REFERENCE / min(_seconds() for _ in range(_REPEATS))


def _seconds() -> float:
    """Processor seconds of a task of random numbers and plain Python.

    Both are scalar code, as most of a game is. Sorting by numpy would not do: its time depends most of all on the
    processor's vector instructions.
    """
    import numpy as np  # here, because the command's help must not wait for it

    rng = np.random.default_rng(0)
    began = time.process_time()
    for _ in range(128):
        rng.random(1 << 16)
    total = 0
    for i in range(800_000):
        total += i & 7
    return max(time.process_time() - began, 1e-6)
