"""What a learner reports during its training becomes events, warnings, kept players and checkpoints.

Subscribers to the events write the log and the games of the run, and draw a progress bar for trainings that Python code
starts; `gameforge run` has its own display. Exceptions of the caller's callbacks end the run as they are.
"""

import contextlib
import functools
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import attrs

from gameforge.config.settings import Json
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import LearnerState, PlansGames, Progress, Step, Trained
from gameforge.play.display import Report, progress_bar
from gameforge.play.game import Game
from gameforge.play.pipeline import Pipeline
from gameforge.play.saved_players import GENERATIONS, save_player
from gameforge.records.game_records import game_writer, games_name
from gameforge.storage.stored import TextLog
from gameforge.training.checkpoint import Checkpoint, Pace, SessionGames, Warnings, pipeline_digest, write_checkpoint
from gameforge.training.run import Run
from gameforge.training.run_folder import CHECKPOINT
from gameforge.training.spending import Spending
from gameforge.training.yardstick import Measurement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pluggy import HookRelay

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Callbacks:
    """Remembers what callbacks raised, so that it is not taken for a crash of the learner that called them."""

    def __init__(self) -> None:
        self._raised: list[BaseException] = []

    def watched(self, callback: Callable[Given, Result]) -> Callable[Given, Result]:
        """Return the same callback, with its exceptions remembered."""

        @functools.wraps(callback)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            try:
                return callback(*args, **kwargs)
            except BaseException as error:
                self._raised.append(error)
                raise

        return call

    def raised(self, error: BaseException) -> bool:
        """Return whether this very exception came from a callback."""
        return any(error is one for one in self._raised)


class Reporter:
    """Receives a learner's games, steps, sessions and notices, and passes them to the subscribers of a run's events."""

    def __init__(
        self,
        run: Run,
        events: "HookRelay",
        checkpoints: "Checkpoints",
        measurement: Measurement | None,
        spent: Spending | None,
    ) -> None:
        """spent: what the training may spend, after which it ends; None: it is not limited."""
        self.checkpoints = checkpoints
        self._spent = spent
        self.last_session: Progress
        """The session that was finished last, with its player's weights."""
        self._run, self._events, self._measurement = run, events, measurement
        self._warnings = Warnings()

    def game_finished(self, game: GameRecord) -> None:
        """Count a game, and report it."""
        if game.game is None:
            game = attrs.evolve(game, game=self._run.parts.game)
        self.checkpoints.games.add(game)
        if self._spent is not None:
            self._spent.advance()
        self._events.gameforge_game_finished(run=self._run, game=game)

    def step_advanced(self, step: Step) -> None:
        if self._spent is not None:
            self._spent.advance()
        self._events.gameforge_step_advanced(run=self._run, step=step)

    def session_finished(self, progress: Progress) -> None:
        """Measure the player after a session, keep it if the learner asks for that, and report the session.

        Raises UsedUp if the training has nothing left to spend.
        """
        with contextlib.nullcontext() if self._spent is None else self._spent.paused():
            self._report(progress)
        if self._spent is not None:
            self._spent.session_finished(progress.session)

    def _report(self, progress: Progress) -> None:
        checkpoints = self.checkpoints
        if progress.weights is not None:  # the learner continues to change its own
            progress = attrs.evolve(progress, weights=progress.weights.copy())
        numbers = dict(progress.numbers)
        if self._measurement is not None:
            numbers |= self._measurement.figures(progress, functools.partial(self._run.after, progress), self.notice)
        if self._spent is not None:
            numbers |= self._spent.figures
        progress = attrs.evolve(progress, numbers=numbers | checkpoints.games.figures())
        checkpoints.latest = self.last_session = progress
        if progress.kept:
            self.keep(progress.kept, progress.weights, progress.features, progress.settings)
        self._events.gameforge_checkpoint(run=self._run, progress=progress)
        for warning in self._warnings.about(progress.session, checkpoints.games):
            self.notice(warning)
        checkpoints.games = SessionGames()

    def keep(
        self,
        name: str,
        weights: "NDArray[np.float32] | None",
        features: FeatureMap | None = None,
        settings: Mapping[str, Json] | None = None,
    ) -> None:
        """Save a player beside the trained one; features and settings as for `chosen_player`."""
        folder = self._run.folder / GENERATIONS / re.sub(r"\W+", "-", name)
        save_player(folder, self._run.with_weights(weights, name, features, settings))

    def notice(self, text: str) -> None:
        self._events.gameforge_notice(run=self._run, text=text)


class Checkpoints:
    """Writes a run's checkpoints when they are due."""

    def __init__(
        self,
        run: Run,
        logs: Sequence[TextLog],
        callbacks: Callbacks,
        saved: Checkpoint | None,
        spent: Spending | None,
    ) -> None:
        self._write = callbacks.watched(self._written)
        self._run, self._folder = run, run.folder / CHECKPOINT
        self._pipeline = pipeline_digest(run.pipeline.settings)
        self._logs, self._spent = logs, spent
        self._pace = Pace()
        self.latest: Progress | None = None
        """The last session and the net after it, which is saved beside the state, so that it can be tried out."""
        self.games = SessionGames() if saved is None else saved.games
        """The games of the current session."""

    def offer(self, state: Callable[[], LearnerState]) -> None:
        """Write a checkpoint if one is due. Learners call this wherever they can be resumed."""
        if not self._pace.due():
            return
        began = time.perf_counter()
        self._write(state())  # what `state` raises is the learner's
        self._pace.took(time.perf_counter() - began)

    def _written(self, learner: LearnerState) -> None:
        if self.latest is not None:
            save_player(self._folder, self._run.after(self.latest), f"weights-{self.latest.session:06}.npz")
            self.latest = None
        lengths = {log.path.name: log.length() for log in self._logs}
        digests = {log.path.name: log.digest() for log in self._logs}
        spent = 0 if self._spent is None else self._spent.spent()
        state = Checkpoint(learner=learner, lengths=lengths, digests=digests, games=self.games, spent=spent)
        write_checkpoint(self._folder, state, self._pipeline)


LOG = "log.txt"


class GameLog(TextLog):
    """games.*: every game, in the game's own format if it has one, else as a line of moves."""

    def __init__(self, folder: Path, game: Game, lengths: Mapping[str, int]) -> None:
        name = games_name(game)
        super().__init__(folder / name, lengths.get(name, 0))
        self._text = game_writer(game)

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        self.write(self._text(game) + "\n")

    @hookimpl
    def gameforge_checkpoint(self) -> None:
        self.flush()


class EventLog:
    """log.txt: what happened when. It is not cut back on resumption, so it also records the work that was lost."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / LOG).open("a", encoding="utf-8")
        self._began = time.perf_counter()

    def close(self) -> None:
        self._file.close()

    def _write(self, text: str) -> None:
        self._file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}\n")
        self._file.flush()

    @hookimpl
    def gameforge_run_started(self, run: Run) -> None:
        parts = {key: value["use"] for key, value in run.pipeline.settings.items() if isinstance(value, dict)}
        oracles = [str(entry.spec) for entry in run.pipeline.knowledge]
        how = "resumed" if run.resumed else "started"
        self._write(f"{how}: {parts}, oracles {oracles}, seed {run.pipeline.seed}")

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self._write(f"session {progress.session} of {progress.sessions}: {json.dumps(dict(progress.numbers))}")

    @hookimpl
    def gameforge_notice(self, text: str) -> None:
        self._write(text)

    @hookimpl
    def gameforge_run_finished(self, run: Run, result: Trained) -> None:
        if run.strength is not None:
            self._write(f"{run.strength}; all measurements: {run.strength.cost}")
        seconds = time.perf_counter() - self._began
        self._write(f"finished after {seconds:.1f} s: {json.dumps(dict(result.summary))}")


class _TrainingBar:
    """A subscriber to the events of a run that reports games, or sessions if the number of games is not known."""

    def __init__(self, report: Report, counts_games: bool) -> None:
        self._report, self._counts_games = report, counts_games
        self._games, self._sessions, self._text = 0, 0, ""

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        if game.phase == "training":
            self._games += 1
            self._say()

    @hookimpl
    def gameforge_step_advanced(self, step: Step) -> None:
        self._games, self._text = step.games, str(step)
        self._say()

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self._games, self._sessions = progress.games, progress.session
        self._text = f"session {progress.session} of {progress.sessions}"
        self._say()

    def _say(self) -> None:
        self._report(self._games if self._counts_games else self._sessions, self._text)


@contextlib.contextmanager
def training_bar(pipeline: Pipeline, shown: bool) -> Iterator[tuple[object, ...]]:
    """Show the progress of a training while the block runs; yield the subscribers that it needs."""
    if not shown:
        yield ()
        return
    learner = pipeline.learner
    games = learner.training_games if isinstance(learner, PlansGames) else 0
    with progress_bar("training", games, shown) as report:
        yield (_TrainingBar(report, bool(games)),)
