"""The games that a match has played: in a file, from which they are read when somebody wants them, and counted."""

import abc
import contextlib
import pickle
import tempfile
import threading
import weakref
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import attrs

from gameforge.arena.counts import MatchCounts
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game

Read = Callable[[int, int], GameRecord]
"""Returns the game between two places in a file, in bytes."""


class PlayedGames(Sequence[GameRecord]):
    """A sequence of games of which memory holds only their counts, and where each of them is.

    It is equal to every sequence of the same games. Pickled, it becomes a tuple.
    """

    def __init__(self) -> None:
        self.counts = MatchCounts()
        """The games, counted."""
        self._ends = array("Q", [0])

    def add(self, game: GameRecord) -> None:
        """Write the next game."""
        self._added(game, self._ends[-1] + self._write(game))

    def _added(self, game: GameRecord, end: int) -> None:
        """Count a game that has been written; end: where it ends, in bytes."""
        self.counts.add(game)
        self._ends.append(end)

    @abc.abstractmethod
    def _write(self, game: GameRecord) -> int:
        """Append a game; return its length in bytes."""

    @abc.abstractmethod
    def _reading(self) -> contextlib.AbstractContextManager[Read]:
        """Return what reads games while it is open."""

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[GameRecord]:
        return self._games(range(len(self)))

    def _games(self, numbers: range) -> Iterator[GameRecord]:
        with self._reading() as read:
            for i in numbers:
                yield read(self._ends[i], self._ends[i + 1])

    @overload
    def __getitem__(self, i: int) -> GameRecord: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[GameRecord, ...]: ...

    def __getitem__(self, i: int | slice) -> GameRecord | tuple[GameRecord, ...]:
        if isinstance(i, slice):
            return tuple(self._games(range(*i.indices(len(self)))))
        number = range(len(self))[i]
        with self._reading() as read:
            return read(self._ends[number], self._ends[number + 1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlayedGames | tuple | list):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # more games may follow

    def __repr__(self) -> str:
        return f"<{len(self)} games>"

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)


_IN_MEMORY = 1 << 20
"""Bytes of games, some thousand, for which no file is made."""


class UnnamedGames(PlayedGames):
    """Games in a temporary file without a name, which goes with this object; few of them stay in memory."""

    def __init__(self, game: Game, games: Sequence[GameRecord] = ()) -> None:
        """game: the game that is played; games: the first of them."""
        super().__init__()
        self._game = game
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  lives as long as this object
        weakref.finalize(self, self._file.close)
        self._turn = threading.Lock()
        """Held by whoever moves the file's position."""
        for one in games:
            self.add(one)

    def _write(self, game: GameRecord) -> int:
        data = pickle.dumps(attrs.evolve(game, game=None), pickle.HIGHEST_PROTOCOL)
        try:
            with self._turn:
                self._file.seek(self._ends[-1])
                self._file.write(data)
        except OSError as error:
            raise GameforgeError(
                f"cannot keep the games of the match in {tempfile.gettempdir()}: {error.strerror}"
            ) from error
        return len(data)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Read]:
        yield self._read

    def _read(self, begin: int, end: int) -> GameRecord:
        with self._turn:
            self._file.seek(begin)
            data = self._file.read(end - begin)
        return attrs.evolve(pickle.loads(data), game=self._game)
