"""Interface of experiments: what `gameforge reproduce NAME` runs to set a published result beside our own.

An experiment consists of trials, one for each condition and seed. No trial depends on another, so they
run in any order and at the same time, and what is finished need not be done again.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

from gameforge.config import merge
from gameforge.learning import GameRecord, Progress, Trained, TrainingTask
from gameforge.pipeline import Pipeline, normal
from gameforge.players import Parts, Player
from gameforge.registry import Registry
from gameforge.saved import player_spec
from gameforge.sources import pipeline_source
from gameforge.work import pipeline_work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GameFinished = Callable[[GameRecord], None]

_building = threading.Lock()
"""Kernels are compiled by one thread at a time."""


def _unheard(game: GameRecord) -> None:
    pass


@attrs.frozen(eq=False)
class Training:
    """What a learner made of a pipeline, without the folder of a run."""

    pipeline: Pipeline
    parts: Parts
    trained: Trained
    sessions: tuple[Mapping[str, Any], ...]
    """The learner's own numbers of each session."""

    def player(self, weights: "NDArray[np.float32]", name: str) -> Player:
        """A player of this pipeline, with the features that the learner chose if it chose any."""
        chosen = self.trained.features
        parts = self.parts if chosen is None else self.parts.with_features(chosen)
        return Player(parts, weights, name, player_spec(self.pipeline.table_with(chosen)))


@attrs.frozen(kw_only=True)
class Trial:
    """One condition with one seed, and what it needs."""

    condition: str
    seed: int
    registry: Registry
    scale: float = 1.0
    """1: as long as the published experiment."""
    game_finished: GameFinished = _unheard
    """To be called after every game: it counts, and raises when the experiment is broken off."""

    def scaled(self, number: int) -> int:
        """A number of games or sessions at this scale, 1 or more."""
        return max(1, round(number * self.scale))

    def pipeline(self, source: str, *changes: Mapping[str, Any]) -> Pipeline:
        """The pipeline that a preset, file or folder describes, with tables laid over it, and the trial's seed."""
        table = normal(pipeline_source(self.registry, source))
        for change in changes:
            table = merge(table, normal(change))
        return Pipeline.from_table(table | {"seed": self.seed}, self.registry)

    def train(self, pipeline: Pipeline, listen: GameFinished = _unheard) -> Training:
        """Train; `listen` hears of every game. The weights are those of a run with the same pipeline."""
        import numpy as np

        pipeline.require("learner")
        with _building:
            parts = pipeline.parts()
        sessions: list[Mapping[str, Any]] = []

        def game_finished(game: GameRecord) -> None:
            self.game_finished(game)
            listen(game)

        def session_finished(progress: Progress) -> None:
            sessions.append(dict(progress.numbers))

        with pipeline_work(pipeline, parts, None, workers=1) as work:
            task = TrainingTask(
                parts=parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=game_finished,
                session_finished=session_finished,
                work=work,
            )
            return Training(pipeline, parts, pipeline.learner.train(task), tuple(sessions))


@attrs.frozen
class Result:
    """A finished trial."""

    condition: str
    seed: int
    numbers: Mapping[str, Any]
    """What `Experiment.run` returned, as JSON holds it: lists for tuples, strings for keys."""


@attrs.frozen(kw_only=True)
class Report:
    """What an experiment came to."""

    text: str
    """Markdown, below the title: the tables beside the published ones, and what agrees."""
    numbers: Mapping[str, Any]
    """The same for programs; JSON-able."""
    figures: Mapping[str, Callable[[Any], None]] = attrs.field(factory=dict)
    """By file name without ending: draws into a matplotlib Figure."""


@runtime_checkable
class Experiment(Protocol):
    """An experiment component; its parameters are those of the component string."""

    @property
    def title(self) -> str:
        """One line: what is measured."""
        ...

    @property
    def source(self) -> str:
        """Where it was published."""
        ...

    @property
    def seeds(self) -> int:
        """So many seeds are taken unless somebody asks for another number."""
        ...

    @property
    def conditions(self) -> Mapping[str, float]:
        """Names of the conditions, and about how many seconds of one core a trial takes at scale 1."""
        ...

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """The trial's figures, JSON-able; they depend on condition, seed and scale alone."""
        ...

    def report(self, results: Sequence[Result], scale: float) -> Report:
        """Of trials in the order of their seeds, for each seed in the order of the conditions."""
        ...
