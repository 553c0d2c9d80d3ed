"""An open database of games: its games as rows and as records, what they are in numbers, and whether they are sound."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import attrs
import numpy as np

from gameforge.config import Spec, changed
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game
from gameforge.records.index import Index
from gameforge.records.replays import Ranked, Replayer, is_sound
from gameforge.records.tables import DRAWN, FORMAT, HEADERS, Row, Rows, number_of_games
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
        connection.create_function("casefold", 1, str.casefold, deterministic=True)  # LIKE knows only A to Z
        self.replayer = Replayer(game)
        with explained(path):
            self.rows = Rows(connection, game)
        self.index = Index(connection, self.replayer)

    @classmethod
    def create(cls, path: Path, game: Game) -> Self:
        """Make a database for the games of these rules."""
        Replayer(game)  # refuses games that it cannot store
        connection = FORMAT.create(path)
        about = {"game": game_name(game), "rules": game.rules_text}
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
        if game is None or game.rules_text != about["rules"]:
            own = Game((registry or default_registry()).create("rules", Spec.parse(about["game"])))
            if own.rules_text != about["rules"]:
                raise GameforgeError(
                    f"{path} has games of {about['rules']}, but {about['game']} is {own.rules_text} here"
                )
            if game is not None and not _same_moves(game, own):
                raise GameforgeError(f"{path} has games of {about['game']}, not of {game_name(game)}")
            game = game or own
        return cls(path, connection, game)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def count(self) -> int:
        """Return the number of games."""
        return number_of_games(self.connection)

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


def game_name(game: Game) -> str:
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


_SHOWN = 10
"""Number of players that are listed, and of problems that are reported."""


@attrs.frozen(kw_only=True)
class Statistics:
    """What a database holds."""

    game: str
    """The game, with its settings."""
    games: int
    """Number of games."""
    wins: tuple[int, int]
    """Games won by the first and by the second mover."""
    draws: int
    """Number of drawn games; the others have no result."""
    plies: float
    """Average number of plies of a game."""
    players: int
    """Number of different names of players."""
    busiest: tuple[tuple[str, int], ...]
    """The players with the most games, and their numbers of games."""
    dates: tuple[str, str]
    """The first and the last date; empty if no game has one."""
    files: int
    """Number of files that have been imported."""
    reviewed: int
    """Number of games that were reviewed."""
    bytes: int
    """Size of the file."""


def statistics(store: Store) -> Statistics:
    """Count what a database holds."""
    run = store.connection.execute
    results = dict(run("SELECT result, count(*) FROM games GROUP BY result"))
    games = sum(results.values())
    [letters] = run("SELECT coalesce(sum(length(moves)), 0) FROM games").fetchone()
    seats = (
        "(SELECT first AS who FROM games UNION ALL SELECT second FROM games) "
        "WHERE who AND who NOT IN (SELECT id FROM names WHERE text = '?')"
    )
    busiest = run(
        f"SELECT text, number FROM (SELECT who, count(*) AS number FROM {seats} GROUP BY who) "
        "JOIN names ON id = who ORDER BY number DESC, text LIMIT ?",
        [_SHOWN],
    )
    dates = run("SELECT min(date), max(date) FROM games WHERE date GLOB '[0-9][0-9][0-9][0-9]*'").fetchone()
    return Statistics(
        game=run("SELECT value FROM about WHERE key = 'game'").fetchone()[0],
        games=games,
        wins=(results.get(1, 0), results.get(2, 0)),
        draws=results.get(DRAWN, 0),
        plies=letters / store.replayer.width.itemsize / max(1, games),
        players=run(f"SELECT count(DISTINCT who) FROM {seats}").fetchone()[0],
        busiest=tuple(busiest),
        dates=(dates[0] or "", dates[1] or ""),
        files=run("SELECT count(*) FROM sources").fetchone()[0],
        reviewed=run("SELECT count(DISTINCT game) FROM reviews").fetchone()[0],
        bytes=store.path.stat().st_size,
    )


def problems(store: Store, progress: Callable[[int, int], None]) -> list[str]:
    """Check the file, replay all games, and make the index again to compare it; return a sentence for each problem.

    progress: called with the numbers of games checked and of all.
    """
    found: list[str] = []
    try:
        integrity = [text for (text,) in store.connection.execute(f"PRAGMA integrity_check({_SHOWN})")]
        found += [f"the file is damaged: {text}" for text in integrity if text != "ok"]
        count = store.count()
        total = store.connection.execute("SELECT count(*) FROM games").fetchone()[0]
        if total != count:
            found.append(f"{count - total:,} of {count:,} games are missing")
        for begin in range(1, count + 1, BATCH):
            progress(begin - 1, count)
            found += _of_games(store, begin)
            if len(found) >= _SHOWN:
                return found
        progress(count, count)
        store.require_index()
        if store.index.differs(count):
            found.append("the index of positions does not match the games")
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        found.append(f"the file is damaged: {error}")
    except GameforgeError as error:
        found.append(str(error))
    return found


def _of_games(store: Store, begin: int) -> list[str]:
    """Return the problems of the games `begin` to `begin` + BATCH - 1."""
    where = "id < ?", [begin + BATCH]
    games = store.select(*where, after=begin - 1)
    query = "SELECT digest FROM games WHERE id >= ? AND id < ? ORDER BY id"
    digests = [digest for (digest,) in store.connection.execute(query, (begin, begin + BATCH))]
    try:
        replayed = store.replayer.replayed(store.ranked(games))
        store.records(games)
    except GameforgeError:
        return [problem for one in games for problem in _of_one(store, one.number)]
    wrong = np.flatnonzero((replayed.wrong >= 0) | (replayed.digests.view(np.int64) != digests))
    return [f"game {games[i].number}: its moves are not those that were stored" for i in wrong[:_SHOWN].tolist()]


def _of_one(store: Store, number: int) -> list[str]:
    try:
        store.records(store.select("id = ?", [number]))
    except GameforgeError as error:
        return [str(error)]
    return []
