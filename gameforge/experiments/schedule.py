"""The trials of an experiment or a study: their order, their cost, and running several at once.

Costs were estimated on one computer; the speed of this one relative to it is measured.
"""

import contextlib
import graphlib
import json
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path

import attrs

from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.experiments.seed_runs import seed_folder
from gameforge.experiments.trial import GameFinished, Trial
from gameforge.interfaces.experiment import Costed, HasTrials, Staged
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Numbers
from gameforge.kernel.parallel import PATIENCE, Stopped, Threads, wait_for_one
from gameforge.play.display import progress_bar

_LOG = logging.getLogger("gameforge")

Key = tuple[int, str]
"""A trial's seed and condition."""


@attrs.frozen
class FinishedTrial:
    """A finished trial, as a line of trials.jsonl has it."""

    condition: str
    """The name of its condition."""
    seed: int
    """Its random seed."""
    numbers: Numbers
    """Its figures, after a round trip through JSON."""
    seconds: float = 0.0
    """The time that it took; if it was interrupted, since it was resumed."""
    source: str = ""
    """State of the source that ran it; empty if it is not known."""

    @property
    def key(self) -> Key:
        """Its seed and condition."""
        return self.seed, self.condition


@attrs.frozen
class FailedTrial:
    """A trial that raised an error."""

    condition: str
    seed: int
    error: GameforgeError

    def __str__(self) -> str:
        return f"{self.condition}, seed {self.seed}: {self.why}"

    @property
    def why(self) -> str:
        """The error, in one line."""
        return " ".join(str(self.error).split())


@attrs.frozen(kw_only=True)
class Resources:
    """What runs trials, and who hears of them. No figure depends on it."""

    workers: int = 1
    """Number of trials that run at once, and of threads for the learners' independent work."""
    executor: Executor | None = None
    """Does the learners' independent work in place of these threads."""
    planned: Callable[[str, Mapping[Key, float], int], None] = lambda title, left, done: None
    """Called once with the title, the estimated seconds of each trial that is left, and the number of finished ones."""
    game_finished: GameFinished = lambda game: None
    """Called after every game."""
    finished: Callable[[FinishedTrial], None] = lambda trial: None
    """Called after every trial."""
    failed: Callable[[FailedTrial], None] = lambda trial: None
    """Called with every trial that fails while the others go on."""
    noticed: Callable[[Key, str], None] = lambda key, text: None
    """Called with each sentence that a trial shows to the user."""
    warned: Callable[[str], None] = lambda text: None
    """Called with a sentence if finished trials were run by another state of the source than those that are left."""

    def __attrs_post_init__(self) -> None:
        if self.workers < 1:
            raise GameforgeError(f"workers = {self.workers}: must be 1 or more")


@contextlib.contextmanager
def resources_with_bar(
    what: str, trials: int, workers: int, executor: Executor | None, shown: bool
) -> Iterator[Resources]:
    """Show how many of the trials are finished by a bar (gameforge.play.display.progress_bar), and log what they say.

    shown: False shows and logs no progress.
    """
    with progress_bar(what, trials, shown) as report:
        ended = 0

        def count(more: int, text: str) -> None:
            nonlocal ended
            ended += more
            report(ended, text)

        yield Resources(
            workers=workers,
            executor=executor,
            planned=lambda title, left, done: count(done, ""),
            finished=lambda trial: count(1, f"{trial.condition}, seed {trial.seed}"),
            failed=lambda trial: count(1, f"{trial.condition}, seed {trial.seed}"),
            noticed=lambda key, text: _LOG.info("%s, seed %d: %s", key[1], key[0], text),
            warned=_LOG.warning,
        )


def run_in_order(
    trials: HasTrials,
    todo: Sequence[Key],
    before: Mapping[Key, FinishedTrial],
    resources: Resources,
    *,
    registry: Registry,
    folder: Path,
    scale: float = 1.0,
) -> Generator[FinishedTrial | FailedTrial, None, None]:
    """Run trials; yield each in the order in which they finish or fail.

    Trials start in the order of `todo`, each as soon as those that it depends on are finished and a worker is free. A
    trial that depends on a failed one is left out.
    before: trials that are finished already. folder: holds a folder for each seed whose trials need one.
    """
    needed = needed_before(trials)
    figures = {key: trial.numbers for key, trial in before.items()}
    waiting = list(todo)
    running: dict[Future[FinishedTrial], Key] = {}
    stop, counting = threading.Event(), threading.Lock()

    def check() -> None:
        if stop.is_set():
            raise Stopped

    def count_game(game: GameRecord) -> None:
        check()
        with counting:
            resources.game_finished(game)

    def run(key: Key, earlier: Mapping[str, Numbers]) -> FinishedTrial:
        seed, condition = key
        began = time.perf_counter()
        trial = Trial(
            condition=condition,
            seed=seed,
            registry=registry,
            scale=scale,
            earlier=earlier,
            game_finished=count_game,
            check=check,
            notice=lambda text: resources.noticed(key, text),
            executor=resources.executor or crew,
            home=seed_folder(folder, seed),
            share=lambda: max(1, resources.workers // max(1, len(running))),
        )
        read = any((seed, name) in before for name in needed[condition])
        with damage_named(folder, f"run {condition}", WRONG_FIGURES) if read else contextlib.nullcontext():
            numbers = json.loads(json.dumps(dict(trials.run(trial))))  # as they are read back from the log
        return FinishedTrial(condition, seed, numbers, seconds=round(time.perf_counter() - began, 1))

    def begin() -> None:
        for seed, condition in list(waiting):
            if len(running) < resources.workers and all((seed, name) in figures for name in needed[condition]):
                earlier = {name: figures[seed, name] for name in needed[condition]}
                waiting.remove((seed, condition))
                running[pool.submit(run, (seed, condition), earlier)] = seed, condition

    pool, crew = Threads(resources.workers, "trial"), Threads(resources.workers, "work")
    try:
        begin()
        while running:
            done = wait_for_one(running)
            for future in sorted(done, key=lambda future: future.exception() is not None):  # failures last
                seed, condition = running.pop(future)
                try:
                    finished = future.result()
                except GameforgeError as error:
                    yield FailedTrial(condition, seed, error)
                else:
                    figures[finished.key] = finished.numbers
                    yield finished
            begin()
    finally:  # also after Ctrl-C, or when a trial fails
        stop.set()
        crew.abandon()
        pool.abandon(2 * PATIENCE)  # trials first wait for their own matches and for the crew


def needed_before(trials: HasTrials) -> Mapping[str, tuple[str, ...]]:
    """Map each condition to those that it depends on; GameforgeError if one is unknown, or if they form a cycle."""
    stages = trials.after if isinstance(trials, Staged) else {}
    known = list(trials.conditions)
    for condition, before in stages.items():
        for name in (condition, *before):
            if name not in known:
                raise GameforgeError(
                    f"{type(trials).__name__}.after names {name!r}, which is not a condition{near(name, known)}; "
                    f"conditions: {', '.join(known)}"
                )
    try:
        graphlib.TopologicalSorter(stages).prepare()
    except graphlib.CycleError as error:
        ring = " after ".join(map(repr, error.args[1][::-1]))
        raise GameforgeError(f"{type(trials).__name__}.after has a cycle: {ring}") from error
    return {condition: tuple(stages.get(condition, ())) for condition in known}


TRIALS = "trials.jsonl"
WRONG_FIGURES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What figures raise that are missing or of another kind."""


@contextlib.contextmanager
def damage_named(
    folder: Path, what: str, errors: type[Exception] | tuple[type[Exception], ...] = Exception
) -> Iterator[None]:
    """Raise GameforgeError if one of the errors keeps `what` from being done with figures that a folder had kept.

    Only the experiment knows which figures a trial has, so there is no schema for them.
    """
    try:
        yield
    except GameforgeError:
        raise
    except errors as error:
        raise GameforgeError(
            f"cannot {what} from the figures in {folder / TRIALS}; they may be damaged: {type(error).__name__}: {error}"
        ) from error


def wrong_trial(folder: Path, trial: FinishedTrial, what: str) -> GameforgeError:
    """Return the error for a trial in the folder of its work that cannot be as it says."""
    return GameforgeError(f"{folder / TRIALS}: {trial.condition}, seed {trial.seed}: {what}")


def trial_keys(trials: HasTrials, seeds: Sequence[int]) -> list[Key]:
    """Return all trials, seed by seed, so that an interrupted experiment has all conditions of its first seeds."""
    return [(seed, condition) for seed in seeds for condition in trials.conditions]


def seconds_of(trials: HasTrials, condition: str, scale: float) -> float:
    """Estimate the time of a trial of this condition on one core, in seconds."""
    if isinstance(trials, Costed):
        return trials.seconds(condition, scale)
    return trials.conditions[condition] * scale


def in_parallel(seconds: Sequence[float], at_once: int) -> float:
    """Estimate how many seconds trials of these durations take if `at_once` of them run, each on its own core."""
    return sum(seconds) / max(1, min(at_once, len(seconds)))


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
