"""The files that a run writes while it goes on; each is a subscriber of the hooks' events."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress, Trained
from gameforge.play.game import Game
from gameforge.play.game_text import game_writer, games_name
from gameforge.training.run import Run

METRICS, LOG = "metrics.jsonl", "log.txt"


class RunFile:
    """A file that grows while a run goes on. A run that is resumed keeps its first lengths[name] bytes.

    The rest is cut off when the learner first has something to tell: it may refuse what was saved of it.
    """

    def __init__(self, path: Path, lengths: Mapping[str, int]) -> None:
        self.path = path
        self._file = path.open("a", encoding="utf-8", newline="\n")
        self._kept: int | None = lengths.get(path.name, 0)

    def write(self, text: str) -> None:
        self._cut()
        self._file.write(text)

    def flush(self) -> None:
        self._cut()
        self._file.flush()

    def _cut(self) -> None:
        if self._kept is not None:
            self._file.truncate(self._kept)
            self._kept = None

    def length(self) -> int:
        """Bytes so far, all of them on the disk."""
        self.flush()
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        self._file.close()


class MetricsFile(RunFile):
    """metrics.jsonl: one JSON object a session, readable while the run goes on."""

    def __init__(self, folder: Path, lengths: Mapping[str, int]) -> None:
        super().__init__(folder / METRICS, lengths)

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        over = {} if progress.over == "games" else {"over": progress.over}
        line = {"session": progress.session, "games": progress.games, **over, **progress.numbers}
        self.write(json.dumps(line) + "\n")
        self.flush()


class GameLog(RunFile):
    """games.*: every game, in the game's own notation if it has one, else moves as text."""

    def __init__(self, folder: Path, game: Game, lengths: Mapping[str, int]) -> None:
        super().__init__(folder / games_name(game), lengths)
        self._text = game_writer(game)

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        self.write(self._text(game) + "\n")

    @hookimpl
    def gameforge_checkpoint(self) -> None:
        self.flush()


class Log:
    """log.txt: what happened when. Never cut: it tells of what was lost, too."""

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
    def gameforge_run_finished(self, result: Trained) -> None:
        seconds = time.perf_counter() - self._began
        self._write(f"finished after {seconds:.1f} s: {json.dumps(dict(result.summary))}")


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The sessions of a run so far; a line that is being written is left out.

    Raises GameforgeError if the file is missing or damaged.
    """
    path = folder / METRICS
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    try:
        return [dict(json.loads(line)) for line in lines]
    except (ValueError, TypeError) as error:
        raise GameforgeError(f"{path} is damaged: {error}") from error
