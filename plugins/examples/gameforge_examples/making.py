"""Make examples by matches of a player against itself ([Rezende2017], section 3.1); parallel and resumable.

1. Play matches from the initial position; J is their mean number of plies. 2. Collect random states near the start from
random games, whose number follows from J. 3. Play matches from each of these states. A match is seeded by its number,
so the examples do not depend on workers, executor or interruptions, unless the searcher has a time limit.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from gameforge.config.validation import whole
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.kernel.seeds import derived
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry, default_registry
from gameforge.training.work import pipeline_work
from gameforge_examples.folder import ExampleFolder, open_batch
from gameforge_examples.playing import play_match
from gameforge_examples.starts import random_states
from gameforge_examples.writing import InOrder, Progress, weights_digest

_STATES, _MATCH = range(2)
_MOST = 1 << 31
_least_0 = whole(f"a whole number from 0 to {_MOST}", 0, _MOST)
_least_1 = whole(f"a whole number from 1 to {_MOST}", 1, _MOST)


@attrs.frozen(kw_only=True)
class Plan:
    """Which matches to play; the defaults are those of [Rezende2017]."""

    start_matches: int = attrs.field(default=30, validator=_least_1)
    """Number of matches from the initial position."""
    states: int = attrs.field(default=300, validator=_least_0)
    """Number of random states near the start."""
    matches: int = attrs.field(default=5, validator=_least_1)
    """Number of matches from each of these states."""
    seed: int = attrs.field(default=0, validator=_least_0)

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
            f"examples: the searcher of {player.name} does not count visits of moves",
            advice="use a Monte Carlo tree search, or make examples of whole games",
            parameter="games",
        )
    pipeline = Pipeline.from_settings(
        {"learner": "none", "oracle": "none"} | dict(player.spec), registry or default_registry()
    )
    with open_batch(ExampleFolder.new(out, player.game), _made(player, plan), append) as folder:
        if folder.batches[-1].finished:
            return folder
        with pipeline_work(pipeline, player.parts, executor, workers, check) as work:
            return _play_all(player, plan, InOrder(folder, work, plan.total, progress))


def _made(player: Player, plan: Plan) -> dict[str, Any]:
    """The settings that identify the batch."""
    settings = {"by": "matches", **attrs.asdict(plan), "player": dict(player.spec)}
    return settings | {"weights": weights_digest(player.weights)}


def _play_all(player: Player, plan: Plan, writer: InOrder) -> ExampleFolder:
    """Play and write all matches that have not been stored."""
    game, seed = player.game, np.random.SeedSequence(plan.seed)
    before = writer.folder.matches - writer.folder.batches[-1].matches

    def play(starts: list[State], first: int) -> None:
        """Play one match from each of these states, numbered from `first`, except those that have been stored."""
        done = max(0, writer.folder.batches[-1].matches - first)
        jobs = [
            (player.weights, start, derived(seed, _MATCH, first + i), before + first + i)
            for i, start in list(enumerate(starts))[done:]
        ]
        writer.play(play_match, jobs)

    play([game.rules.initial()] * plan.start_matches, 0)
    numbers = writer.folder.batches[-1].numbers
    if "mean_plies" not in numbers:
        writer.note({"mean_plies": numbers["plies"] / plan.start_matches})
    if plan.states:
        rng = np.random.default_rng(derived(seed, _STATES))
        states = random_states(game, plan.states, writer.folder.batches[-1].numbers["mean_plies"], rng)
        play([state for state in states for _ in range(plan.matches)], plan.start_matches)
    return writer.finish()
