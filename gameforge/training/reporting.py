"""What a learner reports during its training becomes events, warnings, kept players and checkpoints.

Exceptions of the caller's callbacks end the run as they are.
"""

import contextlib
import functools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import attrs

from gameforge.config.toml import Json
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import LearnerState, Progress, Step
from gameforge.play.saved_players import GENERATIONS, save_player
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
