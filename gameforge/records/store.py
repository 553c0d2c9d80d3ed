"""An open database of games: its games as rows and as records."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import attrs
import numpy as np

from gameforge.config import Spec, changed, parse_spec
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game, rules_text
from gameforge.records.index import Index
from gameforge.records.replays import Ranked, Replayer, is_sound
from gameforge.records.rows import HEADERS, Row, Rows
from gameforge.records.tables import FORMAT
from gameforge.storage.database import explained

if TYPE_CHECKING:
    from gameforge.kernel.types import IntegerArray

BATCH = 1000
"""Number of games that are read or written at a time."""


@attrs.frozen
class StoredGame:
    """A row of the table `games`."""

    number: int
    moves: bytes
    start: bytes | None
    headers: Row


class Store:
    """An open database."""

    def __init__(self, path: Path, connection: sqlite3.Connection, game: Game) -> None:
        self.path, self.connection, self.game = path, connection, game
        self.replayer = Replayer(game)
        with explained(path):
            self.rows = Rows(connection, game)
        self.index = Index(connection, self.replayer)

    @classmethod
    def create(cls, path: Path, game: Game) -> Self:
        """Make a database for the games of these rules."""
        Replayer(game)  # refuses games that it cannot store
        connection = FORMAT.create(path)
        about = {"game": _game_text(game), "rules": rules_text(game.rules)}
        with explained(path):
            connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        return cls(path, connection, game)

    @classmethod
    def open(cls, path: Path, game: Game | None = None, registry: Registry | None = None) -> Self:
        """Open a database; game: the rules that it must have; by default its own, made from the plugins of `registry`.

        Raises GameforgeError if it cannot be opened, or if its games are of another game or have other rules.
        """
        connection = FORMAT.open(path)
        with explained(path):
            about = dict(connection.execute("SELECT key, value FROM about"))
        if not {"game", "rules"} <= about.keys():
            raise GameforgeError(f"{path} is damaged: it does not name its game")
        if game is None or rules_text(game.rules) != about["rules"]:
            own = Game((registry or default_registry()).create("rules", parse_spec(about["game"])))
            if rules_text(own.rules) != about["rules"]:
                raise GameforgeError(
                    f"{path} has games of {about['rules']}, but {about['game']} is {rules_text(own.rules)} here"
                )
            if game is not None and not _same_moves(game, own):
                raise GameforgeError(f"{path} has games of {about['game']}, not of {_game_text(game)}")
            game = game or own
        return cls(path, connection, game)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def count(self) -> int:
        """Return the number of games."""
        return int(self.connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchone()[0])

    def require_index(self) -> None:
        """Index the games that are not indexed, as an interrupted import leaves them."""
        covered = self.connection.execute("SELECT coalesce(sum(games), 0) FROM segments").fetchone()[0]
        if covered != (count := self.count()):
            self.index.update(count)

    def select(self, where: str = "1", parameters: Sequence[object] = (), after: int = 0) -> list[StoredGame]:
        """Return the first BATCH games that a condition selects, beyond the game number `after`."""
        rows = self.connection.execute(
            f"SELECT id, moves, start, {', '.join(HEADERS)} FROM games WHERE id > ? AND ({where}) "
            f"ORDER BY id LIMIT {BATCH}",
            (after, *parameters),
        )
        return [StoredGame(number, moves, start, tuple(headers)) for number, moves, start, *headers in rows]

    def brief(self, numbers: Sequence[int]) -> list[StoredGame]:
        """Return the games with these numbers, at most BATCH, whose headers are their results only."""
        query = f"SELECT id, moves, start, result FROM games WHERE id IN ({','.join('?' * len(numbers))})"
        rows = self.connection.execute(query, numbers)
        return [StoredGame(number, moves, start, (result,)) for number, moves, start, result in rows]

    def numbers(self, query: str) -> "IntegerArray":
        """Return the rows of a query as int64[rows, 2]; GameforgeError if these are not numbers."""
        try:
            return np.array(self.connection.execute(query).fetchall(), np.int64).reshape(-1, 2)
        except (TypeError, ValueError, OverflowError) as error:
            raise GameforgeError(f"{self.path} is damaged: {error}") from error

    def selected(self, where: str = "1", parameters: Sequence[object] = ()) -> Iterator[list[StoredGame]]:
        """Yield all games that a condition selects, in batches."""
        last = 0
        while games := self.select(where, parameters, last):
            yield games
            last = games[-1].number

    def ranked(self, games: Sequence[StoredGame]) -> Ranked:
        """Return games as the replayer takes them; GameforgeError if one is damaged."""
        for one in games:
            if not is_sound(one.moves, one.start, one.headers[0]):
                raise GameforgeError(f"{self.path}: game {one.number} is damaged")
        return self.replayer.stored([(one.moves, one.start) for one in games])

    def records(self, games: Sequence[StoredGame]) -> list[GameRecord]:
        """Return games as records, with their numbers in the database; GameforgeError for a damaged one."""
        replayed = self.replayer.replayed(self.ranked(games))
        words, found, begin = self.game.functions.words, [], 0
        starts = replayed.games.starts.reshape(-1, words).tolist()
        moves, ends = replayed.moves.tolist(), replayed.games.ends.tolist()
        for i, one in enumerate(games):
            if replayed.wrong[i] >= 0:
                raise GameforgeError(
                    f"{self.path}: game {one.number} is damaged: its move {replayed.wrong[i] + 1} is not legal"
                )
            start = self.replayer.initial if one.start is None else tuple(starts[i])
            found.append(self.rows.record(one.number, start, tuple(moves[begin : ends[i]]), one.headers))
            begin = ends[i]
        return found


def _game_text(game: Game) -> str:
    """Return the name of a game with its settings."""
    return str(Spec(game.rules.name, changed(game.rules) if attrs.has(type(game.rules)) else {}))


def _same_moves(one: Game, other: Game) -> bool:
    """Return whether two games have the same positions and moves, though perhaps other rules of draws."""
    a, b = one.functions, other.functions
    same = (a.words, a.gen, a.play, a.outcome, a.key) == (b.words, b.gen, b.play, b.outcome, b.key)
    data = np.array_equal(np.zeros(0) if a.data is None else a.data, np.zeros(0) if b.data is None else b.data)
    return same and data and one.rules.initial() == other.rules.initial()


def stored_games(
    path: Path, game: Game | None, registry: Registry | None, skipped: Callable[[str], None] | None
) -> Iterator[tuple[Game, GameRecord]]:
    """Yield the games of a database in their order, each with its rules.

    game: the rules, or None for those of the database. skipped: called with a sentence about each damaged game, which
    is left out; None: such a game raises GameforgeError. Raises it also if the database cannot be read or is of another
    game.
    """
    with contextlib.closing(Store.open(path, game, registry)) as store, explained(path):
        for games in store.selected():
            try:
                records = store.records(games)
            except GameforgeError:
                if skipped is None:
                    raise
                records = [record for one in games for record in _sound(store, one, skipped)]
            yield from ((store.game, record) for record in records)


def _sound(store: Store, one: StoredGame, skipped: Callable[[str], None]) -> list[GameRecord]:
    try:
        return store.records([one])
    except GameforgeError as error:
        skipped(f"left out: {error}")
        return []
