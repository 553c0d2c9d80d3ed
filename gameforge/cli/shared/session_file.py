"""The file in which a session of play saves its games."""

from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.storage.atomic import write_atomically


@attrs.define
class SessionFile:
    """A file that always holds all games of the session, up to the last move; without a path, nothing is written."""

    path: Path | None = None
    _earlier: list[str] = attrs.field(factory=list)

    def choose(self, path: Path, game: str) -> None:
        """Write all games to another file from now on. game: the text of the current game.

        Raises GameforgeError, and changes nothing, if the file exists or cannot be written.
        """
        if path.exists() and path != self.path:
            raise GameforgeError(f"{path} already exists; choose another file")
        before, self.path = self.path, path
        try:
            self.write(game)
        except GameforgeError:
            self.path = before
            raise

    def write(self, game: str) -> None:
        """Write the earlier games and the current one; GameforgeError if the file cannot be written."""
        if self.path is not None:
            write_atomically(self.path, "\n".join([*self._earlier, game]).encode())

    def keep(self, game: str) -> None:
        """Keep a game, which another one follows."""
        self._earlier.append(game)
