"""Subscribers to the events of a run: the files that it writes while it is running, and the progress bar.

The bar is that of trainings that Python code starts; `gameforge run` has its own display.
"""

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import PlansGames, Progress, Step, Trained
from gameforge.play.game import Game
from gameforge.play.pipeline import Pipeline
from gameforge.play.records import game_writer, games_name
from gameforge.play.terminal import Report, progress_bar
from gameforge.storage.stored import TextLog
from gameforge.training.run import Run

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
