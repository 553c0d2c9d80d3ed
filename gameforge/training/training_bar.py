"""The progress bar of trainings that Python code starts; `gameforge run` has its own display."""

import contextlib
from collections.abc import Iterator

from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import PlansGames, Progress
from gameforge.play.pipeline import Pipeline
from gameforge.play.progress_bar import Report, progress_bar


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
