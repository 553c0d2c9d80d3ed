"""A trial of an experiment: one condition with one seed, and what it may use."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.config import merge
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress, Trained, TrainingTask
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline, normal
from gameforge.play.pipeline_source import pipeline_source
from gameforge.play.player import Player
from gameforge.play.saved_players import chosen_player, load_player, load_players
from gameforge.plugins.registry import Registry
from gameforge.storage.player_files import MANIFEST as PLAYER_MANIFEST
from gameforge.training.events import read_metrics
from gameforge.training.run_folder import FINISHED, GENERATIONS, MANIFEST, run_manifest, same_run
from gameforge.training.train import train
from gameforge.training.work import pipeline_work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.play.arena import MatchResult

GameFinished = Callable[[GameRecord], None]


def _unheard(game: GameRecord) -> None:
    pass


def _goes_on() -> None:
    pass


@attrs.frozen(eq=False)
class Training:
    """What a learner made of a pipeline, without the folder of a run."""

    pipeline: Pipeline
    parts: Parts
    trained: Trained
    sessions: tuple[Mapping[str, Any], ...]
    """The learner's own numbers of each session."""

    def player(self, weights: "NDArray[np.float32] | None", name: str) -> Player:
        """A player of this pipeline, with the features and parameters that the learner chose if it chose any."""
        made = self.trained
        return chosen_player(self.pipeline, self.parts, weights, name, made.features, made.settings)


@attrs.frozen
class TrialRun:
    """A finished run in the folder of an experiment, as it is read from there."""

    folder: Path
    registry: Registry

    @property
    def summary(self) -> Mapping[str, Any]:
        """The learner's own figures of the whole training."""
        summary: dict[str, Any] = run_manifest(self.folder)["summary"]
        return summary

    @property
    def sessions(self) -> list[dict[str, Any]]:
        """The learner's own figures of each session; those of time differ from run to run."""
        return read_metrics(self.folder)

    @property
    def player(self) -> Player:
        """The trained player, by the name of the run's folder."""
        player = load_player(self.folder, self.registry)
        return Player(player.parts, player.weights, self.folder.name, player.spec)

    @property
    def generations(self) -> list[Player]:
        """What the learner kept beside its result, by their names; of an evolution those who were there last."""
        folders = sorted(path.parent for path in (self.folder / GENERATIONS).glob(f"*/{PLAYER_MANIFEST}"))
        return load_players(folders, self.registry)


@attrs.frozen(kw_only=True)
class Trial:
    """One condition with one seed, and what it may use. No figure depends on workers or executor."""

    condition: str
    seed: int
    registry: Registry
    scale: float = 1.0
    """1: as long as the published experiment."""
    earlier: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    """Figures of the conditions that this one comes after, of the same seed."""
    game_finished: GameFinished = _unheard
    """To be called after every game: it counts, and raises when the experiment is broken off."""
    check: Callable[[], None] = _goes_on
    """To be called now and then where there are no games; raises when the experiment is broken off."""
    notice: Callable[[str], None] = lambda text: None
    """Tells people something, in a sentence."""
    executor: Executor | None = None
    """Does the learners' independent work; None: threads of this process."""
    _home: Path | None = None
    _share: Callable[[], int] = lambda: 1

    @property
    def workers(self) -> int:
        """So many threads the trial may use just now."""
        return self._share()

    @property
    def folder(self) -> Path:
        """Folder of this seed, shared by all its conditions, for what one of them makes and others need."""
        assert self._home is not None, "the trial has no folder"
        self._home.mkdir(parents=True, exist_ok=True)
        return self._home

    def scaled(self, number: int) -> int:
        """A number of games or sessions at this scale, 1 or more."""
        return max(1, round(number * self.scale))

    def pipeline(self, source: str, *changes: Mapping[str, Any]) -> Pipeline:
        """The pipeline that a preset, file or folder describes, with tables laid over it, and the trial's seed.

        An experiment names its presets in its code: a folder of that name where somebody runs it changes nothing.
        """
        is_preset = source in self.registry.names("preset")
        table = normal(self.registry.preset(source) if is_preset else pipeline_source(self.registry, source))
        for change in changes:
            table = merge(table, normal(change))
        return Pipeline.from_settings(table | {"seed": self.seed}, self.registry)

    def train(self, pipeline: Pipeline, listen: GameFinished = _unheard) -> Training:
        """Train; `listen` hears of every game. The weights are those of a run with the same pipeline.

        Nothing is kept: a trial that is broken off begins again. `run` is for what takes longer.
        """
        import numpy as np

        pipeline.require("learner")
        parts = pipeline.parts(self._announce, self.workers)
        sessions: list[Mapping[str, Any]] = []

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

    def run(self, pipeline: Pipeline, name: str) -> TrialRun:
        """Train in a run folder of this name in the trial's folder.

        One that is there already goes on where it was broken off; if it has finished, nothing is done. Raises
        GameforgeError if it is one of another pipeline, or still goes on, as when two conditions share a name.
        """
        folder = self.folder / name
        begun = (folder / MANIFEST).exists()
        if not begun or same_run(folder, pipeline)["state"] != FINISHED:
            train(
                pipeline,
                folder,
                resume=begun,
                workers=self.workers,
                executor=self.executor,
                announce=self._announce,
                subscribers=[_Listener(self)],
                check=self.check,
            )
        return TrialRun(folder, self.registry)

    def player(self, name: str) -> Player:
        """The trained player of the run of this name, also of an earlier condition of this seed."""
        return TrialRun(self.folder / name, self.registry).player

    def match(self, first: Player, second: Player, games: int, name: str, **options: Any) -> "MatchResult":
        """Play a match in a folder of this name in the trial's folder, or go on with it.

        options: `openings`, `sprt` and a `seed` in place of the trial's, as of gameforge.play.arena.match.
        """
        from gameforge.play.arena.match_folder import match_in_folder

        options = {"seed": self.seed} | options
        heard: Any = {"game_finished": self.game_finished, "check": self.check}
        return match_in_folder(self.folder / name, first, second, games, workers=self.workers, **heard, **options)

    def _announce(self, what: str, done: int, total: int) -> None:
        """Oracles tell what they prepare, and how far they are, which nobody is told."""
        self.check()
        if not total:
            self.notice(what)


@attrs.frozen
class _Listener:
    """A subscriber of a run's events."""

    trial: Trial

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        self.trial.game_finished(game)

    @hookimpl
    def gameforge_notice(self, text: str) -> None:
        self.trial.notice(text)
