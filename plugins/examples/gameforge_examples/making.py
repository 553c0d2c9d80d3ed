"""Make examples by matches of a player against itself ([Rezende2017], section 3.1); parallel and resumable.

1. Play matches from the initial position; J is their mean number of plies. 2. Collect random states near the start from
random games, whose number follows from J. 3. Play matches from each of these states. A match is seeded by its number,
so the examples do not depend on workers, executor or interruptions, unless the searcher has a time limit.
"""

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Work
from gameforge.interfaces.rules import State
from gameforge.kernel.seeds import derived
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry, default_registry
from gameforge.training.work import pipeline_work
from gameforge_examples.folder import SHARD_ROWS, ExampleFolder, open_batch
from gameforge_examples.playing import Recorded, play_match
from gameforge_examples.rows import joined
from gameforge_examples.starts import random_states

_STATES, _MATCH = range(2)
_FLUSH_SECONDS = 5.0
"""Maximum time between two writes. A kill loses the matches finished since the last one, and unfinished matches."""
_MOST = 1 << 31

Progress = Callable[[int, int, ExampleFolder], None]
"""Called with the number of finished matches, the number of all matches, and the current folder."""


def _at_least(least: int) -> Any:
    return [attrs.validators.instance_of(int), attrs.validators.ge(least), attrs.validators.le(_MOST)]


@attrs.frozen(kw_only=True)
class Plan:
    """Which matches to play; the defaults are those of [Rezende2017]."""

    start_matches: int = attrs.field(default=30, validator=_at_least(1))
    """Number of matches from the initial position."""
    states: int = attrs.field(default=300, validator=_at_least(0))
    """Number of random states near the start."""
    matches: int = attrs.field(default=5, validator=_at_least(1))
    """Number of matches from each of these states."""
    seed: int = attrs.field(default=0, validator=_at_least(0))

    @property
    def total(self) -> int:
        """Total number of matches."""
        return self.start_matches + self.states * self.matches


def make_examples(
    out: Path,
    player: Player,
    plan: Plan,
    *,
    registry: Registry | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    append: bool = False,
    check: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, total, folder: None,
) -> ExampleFolder:
    """Make examples in the folder `out`, or resume an interrupted batch; do nothing if it is finished.

    executor: plays the matches instead of `workers` threads. append: add to a folder of examples that were made with
    other settings. check: called regularly; an exception that it raises ends the work. Raises GameforgeError if the
    player's searcher does not count visits, if `out` holds anything else, or if it holds examples made with other
    settings and `append` is not set.
    """
    if not player.parts.search.statistics:
        raise GameforgeError(
            f"examples: the searcher of {player.name} does not count visits of moves; use a Monte Carlo tree search"
        )
    pipeline = Pipeline.from_settings(
        {"learner": "none", "oracle": "none"} | dict(player.spec), registry or default_registry()
    )
    with open_batch(ExampleFolder.new(out, player.game), _made(player, plan), append) as folder:
        if folder.batches[-1].finished:
            return folder
        with pipeline_work(pipeline, player.parts, executor, workers, check) as work:
            return _Making(player, plan, work, progress, folder).complete()


def _made(player: Player, plan: Plan) -> dict[str, Any]:
    """The settings that identify the batch."""
    weights = None if player.weights is None else hashlib.sha256(player.weights.tobytes()).hexdigest()
    return {"by": "matches", **attrs.asdict(plan), "player": dict(player.spec), "weights": weights}


class _Making:
    """Plays the matches of a batch and writes their examples."""

    def __init__(self, player: Player, plan: Plan, work: Work, progress: Progress, folder: ExampleFolder) -> None:
        self._player, self._plan, self._work, self._progress = player, plan, work, progress
        self._folder = folder
        self._before = folder.matches - folder.batches[-1].matches
        self._seed = np.random.SeedSequence(plan.seed)
        self._waiting: list[Recorded] = []
        self._began, self._flushed = time.perf_counter(), time.perf_counter()

    def complete(self) -> ExampleFolder:
        """Play and write all matches that have not been stored."""
        game, plan = self._player.game, self._plan
        self._play([game.rules.initial()] * plan.start_matches, 0)
        numbers = dict(self._folder.batches[-1].numbers)
        if "mean_plies" not in numbers:
            numbers["mean_plies"] = numbers["plies"] / plan.start_matches
            self._folder = self._folder.append(joined((), game.functions.words), 0, numbers)
        if plan.states:
            rng = np.random.default_rng(derived(self._seed, _STATES))
            states = random_states(game, plan.states, numbers["mean_plies"], rng)
            self._play([state for state in states for _ in range(plan.matches)], plan.start_matches)
        return self._folder.finish(self._folder.batches[-1].numbers)

    def _play(self, starts: list[State], first: int) -> None:
        """Play one match from each of these states, numbered from `first`, except those that have been stored."""
        done = max(0, self._folder.batches[-1].matches - first)
        jobs = [
            (self._player.weights, start, derived(self._seed, _MATCH, first + i), self._before + first + i)
            for i, start in list(enumerate(starts))[done:]
        ]
        results = self._work.each(play_match, jobs)
        early: dict[int, Recorded] = {}
        try:
            for i, recorded in results:
                early[i] = recorded
                while (place := len(self._waiting) + self._folder.batches[-1].matches - first - done) in early:
                    self._waiting.append(early.pop(place))
                self._flush_if_due()
        finally:
            results.close()
            self._flush()

    def _flush_if_due(self) -> None:
        rows = sum(len(recorded.rows) for recorded in self._waiting)
        if rows >= SHARD_ROWS or time.perf_counter() - self._flushed > _FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        """Write the waiting matches; all earlier ones have been written."""
        if not self._waiting:
            return
        known = self._folder.batches[-1].numbers
        now = time.perf_counter()
        numbers = {
            **known,
            "plies": known.get("plies", 0) + sum(recorded.plies for recorded in self._waiting),
            "simulations": known.get("simulations", 0) + sum(recorded.simulations for recorded in self._waiting),
            "seconds": round(known.get("seconds", 0.0) + now - self._began, 3),
        }
        rows = joined((recorded.rows for recorded in self._waiting), self._folder.words)
        self._folder = self._folder.append(rows, len(self._waiting), numbers)
        self._waiting = []
        self._began = self._flushed = now
        self._progress(self._folder.batches[-1].matches, self._plan.total, self._folder)
