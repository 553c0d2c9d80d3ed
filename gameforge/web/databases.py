"""The databases of games that the page shows: those named at the start, and files of games that are being read.

A file with more games than a page can hold is read in a thread into a database in a temporary folder. Its first games
can be shown at once, and all of them can be searched by position when the thread has ended.
"""

import itertools
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from gameforge.config.outside import require_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.records.database import GamesDb, games_db
from gameforge.records.game_records import game_of_file
from gameforge.records.tables import is_games_db

_FILES = 4
"""Most files whose databases are kept; the oldest make room."""
_NOTICES = 20
"""Most notices on games that were left out."""


class Opened:
    """A database of games, or a file that is being read into one."""

    def __init__(self, number: int, name: str, path: Path, game: Game) -> None:
        self.number = number
        self.name = name
        """What the page calls it: the name of the file that was named or loaded."""
        self.path = path
        """The database."""
        self.game = game
        self.done = 0
        """Number of games of the file that have been read."""
        self.reading = False
        self.is_read = False
        """Whether it is made from a file, so that it is deleted at the end."""
        self.notices: list[str] = []
        """Why games were left out, and why the reading ended early."""
        self.left_out = 0
        self._given_up = False

    @property
    def is_empty(self) -> bool:
        """Whether no game of a file could be read."""
        return self.is_read and not self.reading and not self.done

    def database(self, game: Game | None = None) -> GamesDb:
        """Open the database; the caller closes it.

        game: its rules of draws may differ. Raises GameforgeError if the moves differ as well.
        """
        return games_db(self.path, game or self.game, must_exist=True)

    def read(self, file: Path, encoding: str, *, delete: bool) -> None:
        """Read a file of games in a thread. delete: delete it afterwards. GameforgeError if none can be stored."""
        games_db(self.path, self.game).close()
        self.reading = self.is_read = True
        threading.Thread(target=self._read, args=(file, encoding, delete), name="gameforge-games", daemon=True).start()

    def give_up(self) -> None:
        """End the reading after the games that are being read, and delete the database then."""
        self._given_up = True
        if not self.reading:
            self.path.unlink(missing_ok=True)

    def _read(self, file: Path, encoding: str, delete: bool) -> None:
        try:
            with self.database() as database:
                database.add_file(
                    file,
                    tolerant=True,
                    encoding=encoding,
                    notice=lambda text: self._notice(text.replace(str(file), self.name)),
                    progress=self._progress,
                )
        except GameforgeError as error:
            self.notices.insert(0, str(error).replace(str(file), self.name))
        finally:
            self.reading = False
            if delete:
                file.unlink(missing_ok=True)
            if self._given_up:
                self.path.unlink(missing_ok=True)

    def _notice(self, text: str) -> None:
        self.left_out += 1
        if len(self.notices) < _NOTICES:
            self.notices.append(text)

    def _progress(self, done: int) -> None:
        self.done = done
        if self._given_up:
            raise GameforgeError("the file was closed")


class Databases:
    """All of them, the one that was opened last first."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._opened: list[Opened] = []
        self._numbers = itertools.count(1)
        self._folder: Path | None = None
        """Where the databases of files are; None: no file has been read."""
        self._lock = threading.Lock()

    def name(self, paths: Sequence[Path]) -> None:
        """Open what was named at the start: databases, and files of games, which are read.

        Raises GameforgeError if one is neither.
        """
        for path in reversed(paths):
            if is_games_db(path):
                with games_db(path, must_exist=True, registry=self._registry) as database:
                    self._opened.insert(0, Opened(next(self._numbers), path.name, path, database.game))
            else:
                require_file(path)
                self.add(path, path.name, game_of_file(path, self._registry), "utf-8", delete=False)

    def add(self, file: Path, name: str, game: Game, encoding: str, *, delete: bool = True) -> Opened:
        """Begin to read a file of games. Raises GameforgeError if games of this kind cannot be stored."""
        with self._lock:
            number = next(self._numbers)
            made = Opened(number, name, self._own_folder() / f"{number}.db", game)
            made.read(file, encoding, delete=delete)
            self._opened.insert(0, made)
            for old in [one for one in self._opened if one.is_read][_FILES:]:
                self._opened.remove(old)
                old.give_up()
            return made

    def new_file(self, suffix: str) -> Path:
        """Return a path for a file that the page sends."""
        with self._lock:
            return self._own_folder() / f"games-{next(self._numbers)}{suffix}"

    def _own_folder(self) -> Path:
        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="gameforge-games-"))
        return self._folder

    def of(self, game: Game) -> list[Opened]:
        """Return those with games of a game."""
        with self._lock:
            return [one for one in self._opened if one.game.rules.name == game.rules.name]

    def close(self) -> None:
        """End all reading, and delete what was read."""
        with self._lock:
            for one in self._opened:
                if one.is_read:
                    one.give_up()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
