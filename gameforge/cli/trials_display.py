"""The trials of experiments and studies in the terminal: their cost, and their progress while they run.

A terminal shows a status line; other output gets a line for each finished trial.
"""

import os
import time
from collections.abc import Mapping
from concurrent.futures import Executor

from gameforge.cli.console import Console
from gameforge.cli.figures import counted
from gameforge.experiments.schedule import FailedTrial, FinishedTrial, Key, Resources, in_parallel, relative_speed
from gameforge.interfaces.games import GameRecord
from gameforge.play.terminal import duration_text
from gameforge.training.work import LOCAL

_MEASURED = 0.1
"""Share of the work after which the measured time replaces the estimate."""
_PAUSE = 0.2
"""Minimum time between two updates of the status line, in seconds: thousands of games may finish in a second."""


class TrialsDisplay:
    """What a command shows of the trials that it runs."""

    def __init__(self, console: Console, workers: int, at_once: int) -> None:
        """at_once: number of workers that have a core of their own."""
        self._console, self._workers, self._at_once = console, workers, at_once
        self._status = console.status("")
        self._began = time.perf_counter()
        self._trials, self._total, self._games = 0, 0, 0
        self._left: dict[Key, float] = {}
        """Estimated seconds of one core of this computer for each unfinished trial; empty if they are not known."""
        self._shown_notices: set[tuple[Key, str]] = set()
        self._whole, self._estimate, self._shown = 0.0, 0.0, 0.0

    def __enter__(self) -> "TrialsDisplay":
        self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._status.stop()

    def resources(self, executor: Executor | None) -> Resources:
        """Return what runs the trials and shows them here."""
        return Resources(
            workers=self._workers,
            executor=executor,
            planned=self._planned,
            game_finished=self._game_finished,
            finished=self._finished,
            failed=self._failed,
            noticed=self._noticed,
            warned=lambda text: self._print(f"warning: {text}"),
        )

    def _planned(self, title: str, left: Mapping[Key, float], done: int) -> None:
        self._trials, self._total = done, done + len(left)
        parts = [counted(self._total, "trial")]
        if done:
            parts.append(f"{done} of them are finished")
        if all(left.values()):
            speed = relative_speed() if left else 1.0
            self._left = {key: seconds / speed for key, seconds in left.items()}
            self._whole = sum(self._left.values())
            self._estimate = in_parallel(list(self._left.values()), self._at_once)
            parts.append(self._cost())
        self._print(f"{title}: {'; '.join(parts)}")

    def _cost(self) -> str:
        hours = self._whole / 3600
        cost = f"{hours:.2g}" if hours >= 0.01 else "less than 0.01"
        cores = f" on {counted(self._at_once, 'core')}" if self._at_once < self._workers else ""
        return (
            f"{about(self._estimate)} with {counted(self._workers, 'worker')}{cores}, {cost} processor hours on this "
            "computer"
        )

    def _game_finished(self, game: GameRecord) -> None:
        self._games += 1
        if time.perf_counter() > self._shown + _PAUSE:
            self._show()

    def _noticed(self, key: Key, text: str) -> None:
        if (key, text) not in self._shown_notices:
            self._shown_notices.add((key, text))
            self._print(f"{key[1]}, seed {key[0]}: {text}")

    def _finished(self, trial: FinishedTrial) -> None:
        self._trials += 1
        self._left.pop(trial.key, None)
        if not self._console.is_terminal:
            where = f"{self._trials} of {self._total}"
            self._print(f"{where}: {trial.condition}, seed {trial.seed}, {trial.seconds:.1f} s")
        self._show()

    def _failed(self, trial: FailedTrial) -> None:
        self._left.pop((trial.seed, trial.condition), None)
        self._print(f"{trial.condition}, seed {trial.seed}, failed: {trial.why}")

    def _show(self) -> None:
        self._shown = time.perf_counter()
        parts = [f"{self._trials} of {counted(self._total, 'trial')}"]
        parts.append(counted(self._games, "game") if self._games else "...")
        if self._whole:
            done = 1 - sum(self._left.values()) / self._whole
            parts.append(time_left(self._estimate, self._shown - self._began, done))
        self._status.update(", ".join(parts))

    def _print(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def cores_for(workers: int, where: str) -> int:
    """Number of workers that have a core of their own; those of a cluster all do."""
    return min(workers, os.cpu_count() or 1) if where == LOCAL else workers


def time_left(estimate: float, elapsed: float, done: float) -> str:
    """The remaining time in words, by the estimate until enough of the work is done, then by the measured time."""
    if done >= _MEASURED:
        return f"{about(elapsed / done * (1 - done))} left"
    return f"{about(estimate - elapsed)} left" if elapsed < estimate else "longer than expected"


def about(seconds: float) -> str:
    """An estimated duration in words."""
    return f"about {duration_text(seconds)}"
