"""Trials of an experiment: one condition with one seed, and methods to train and play matches."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config import normal
from gameforge.discovery.registry import Registry
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Numbers, Progress, Trained, TrainingTask
from gameforge.play.parts import Parts
from gameforge.play.pipeline import pipeline_source
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan
from gameforge.play.saved_players import GENERATIONS, chosen_player, read_saved
from gameforge.play.workshop import Workshop
from gameforge.storage.player_files import PLAYER_FORMAT
from gameforge.training.run_folder import FINISHED, RUN_FORMAT, read_metrics, run_manifest, same_run
from gameforge.training.train import Pipeline, train
from gameforge.training.work import pipeline_work
from gameforge.training.yardstick import Yardstick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.arena import MatchResult, Openings

GameFinished = Callable[[GameRecord], None]
"""A function that is called after every game."""


@attrs.frozen(eq=False)
class Training:
    """A finished training that has no run folder."""

    pipeline: Pipeline
    """The pipeline that was trained."""
    parts: Parts
    """The pipeline's components, ready to play."""
    trained: Trained
    """What the learner returned."""
    sessions: tuple[Numbers, ...]
    """The learner's own numbers of each session."""

    def player(self, weights: "NDArray[np.float32] | None", name: str) -> Player:
        """Make a player with these weights and, if the learner chose any, its features and parameters."""
        made = self.trained
        return chosen_player(self.pipeline, self.parts, weights, name, made.features, made.settings)


@attrs.frozen
class TrialRun:
    """A finished run in the folder of an experiment."""

    folder: Path
    """The folder of the run."""
    registry: Registry
    """The components with which the run is read."""

    @property
    def summary(self) -> Numbers:
        """The learner's own figures for the whole training."""
        summary = run_manifest(self.folder)["summary"]
        assert isinstance(summary, dict), "the manifest of a finished run has a table of figures"
        return summary

    @property
    def sessions(self) -> Sequence[Numbers]:
        """The learner's own figures for each session; those that measure time differ from run to run."""
        return read_metrics(self.folder)

    @property
    def player(self) -> Player:
        """The trained player, named after the run's folder."""
        return Workshop(self.registry).build(PlayerPlan(saved=read_saved(self.folder), name=self.folder.name))

    @property
    def generations(self) -> list[Player]:
        """The players that the learner kept besides its result, sorted by name."""
        folders = sorted(path.parent for path in (self.folder / GENERATIONS).glob(f"*/{PLAYER_FORMAT.file}"))
        return Workshop(self.registry).load_all(folders)


@attrs.frozen(kw_only=True)
class Trial:
    """One condition with one seed. No figure depends on the number of workers or on the executor."""

    condition: str
    """The name of the condition."""
    seed: int
    """The random seed; conditions with the same seed can be compared in pairs."""
    registry: Registry
    """The components that pipelines may use."""
    scale: float = 1.0
    """Length of the trial, relative to the published experiment."""
    earlier: Mapping[str, Numbers] = attrs.field(factory=dict)
    """Figures of the conditions that this one depends on, with the same seed."""
    game_finished: GameFinished = lambda game: None
    """Call this after every game; it counts games, and raises if the experiment is interrupted."""
    check: Callable[[], None] = lambda: None
    """Call this regularly in work that plays no games; it raises if the experiment is interrupted."""
    notice: Callable[[str], None] = lambda text: None
    """Shows a sentence to the user."""
    executor: Executor | None = None
    """Runs the learners' independent work; None uses threads of this process."""
    _home: Path | None = None
    _share: Callable[[], int] = lambda: 1

    @property
    def workers(self) -> int:
        """Number of threads that the trial may use now."""
        return self._share()

    @property
    def folder(self) -> Path:
        """Folder of this seed, in which its conditions share runs and matches."""
        assert self._home is not None, "the trial has no folder"
        self._home.mkdir(parents=True, exist_ok=True)
        return self._home

    def scaled(self, number: int) -> int:
        """Scale a number of games or sessions; returns 1 or more."""
        return max(1, round(number * self.scale))

    def pipeline(self, source: str, *changes: Mapping[str, object]) -> Pipeline:
        """Return the pipeline of a preset, file or folder, with these changes and the trial's seed.

        A preset takes precedence over a file or folder of the same name in the current directory.
        """
        is_preset = source in self.registry.names("preset")
        settings = self.registry.preset(source) if is_preset else pipeline_source(self.registry, source)
        return Pipeline.from_settings(normal(settings, *changes, {"seed": self.seed}), self.registry)

    def train(self, pipeline: Pipeline, listen: GameFinished = lambda game: None) -> Training:
        """Train without a folder, with the same result as a run; `listen` is called after every game.

        If the trial is interrupted, this training starts over; use `run` for long ones.
        """
        import numpy as np

        pipeline.require("learner")
        parts = pipeline.parts(self._announce, self.workers)
        sessions: list[Numbers] = []

        def game_finished(game: GameRecord) -> None:
            self.game_finished(game)
            listen(game)

        def session_finished(progress: Progress) -> None:
            sessions.append(dict(progress.numbers))

        with pipeline_work(pipeline, parts, self.executor, self.workers, self.check) as work:
            task = TrainingTask(
                parts=parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=game_finished,
                session_finished=session_finished,
                work=work,
            )
            assert pipeline.learner is not None, "required above"
            return Training(pipeline, parts, pipeline.learner.train(task), tuple(sessions))

    def run(
        self,
        pipeline: Pipeline,
        name: str,
        *,
        yardstick: Yardstick | None = None,
        subscribers: Sequence[object] = (),
        evaluations: int | None = None,
        processor_seconds: float | None = None,
    ) -> TrialRun:
        """Train in a run folder of this name in the trial's folder.

        Resumes an interrupted run, and returns a finished one as it is. yardstick: measures the run, without an
        influence on it. subscribers: implement events of the hooks. evaluations, processor_seconds: end the training
        when it has used them, as `train` does; evaluations are counted in one thread, and while seconds are, no other
        trial may run. Raises GameforgeError if the folder holds a run of another pipeline, or one that is still
        running, which happens if two conditions use the same name.
        """
        folder = self.folder / name
        begun = RUN_FORMAT.path(folder).exists()
        if not begun or same_run(folder, pipeline)["state"] != FINISHED:
            train(
                pipeline,
                folder,
                resume=begun,
                workers=self.workers if evaluations is None else 1,
                executor=self.executor if evaluations is None else None,
                yardstick=yardstick,
                announce=self._announce,
                subscribers=[_Listener(self), *subscribers],
                check=self.check,
                evaluations=evaluations,
                processor_seconds=processor_seconds,
            )
        return TrialRun(folder, self.registry)

    def player(self, name: str) -> Player:
        """Load the trained player of the run of this name, which may belong to an earlier condition with this seed."""
        return TrialRun(self.folder / name, self.registry).player

    def match(
        self,
        first: Player,
        second: Player,
        games: int,
        name: str,
        *,
        openings: "Openings | None" = None,
        seed: int | None = None,
    ) -> "MatchResult":
        """Play a match in a folder of this name in the trial's folder, or resume it.

        Notifies the user if fewer than half of the games are distinct.
        openings: as in gameforge.arena.match. seed: replaces that of the trial.
        """
        from gameforge.arena import OPENING_PLIES
        from gameforge.arena.match_folder import match_in_folder

        result = match_in_folder(
            self.folder / name,
            first,
            second,
            games,
            openings=OPENING_PLIES if openings is None else openings,
            seed=self.seed if seed is None else seed,
            workers=self.workers,
            game_finished=self.game_finished,
            check=self.check,
        )
        if result.repeats:
            self.notice(f"match {name}: {result.repeats_text}")
        return result

    def _announce(self, what: str, done: int, total: int) -> None:
        """Show what an oracle prepares, but not its progress."""
        self.check()
        if not total:
            self.notice(what)


@attrs.frozen
class _Listener:
    """Passes the events of a run on to the trial."""

    trial: Trial

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        self.trial.game_finished(game)

    @hookimpl
    def gameforge_notice(self, text: str) -> None:
        self.trial.notice(text)
