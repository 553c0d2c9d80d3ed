"""Add games to a database: 1,000 in a transaction, each game once."""

import contextlib
import gc
import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.records.index import Chunk, chunk_of
from gameforge.records.replays import Replayed, stored_ranks
from gameforge.records.store import BATCH, Store
from gameforge.records.tables import HEADERS, Row, fullness, writing
from gameforge.storage.database import DiskFull, explained

Headers = Literal["old", "new", "fuller"]
"""Which headers a game has that is added again: those of the database, the new ones, or those with more tags, comments,
marks and variations. The result belongs to the headers."""
_REPLACE = f"UPDATE games SET {', '.join(f'{name} = ?' for name in HEADERS)} WHERE id = ?"
_INSERT = f"INSERT INTO games (id, digest, moves, start, {', '.join(HEADERS)}) VALUES ({', '.join('?' * 14)})"
_MANY = 10_000
"""New games whose numbers are found in a dictionary before they join those of the database."""
_CACHE = 8192
"""Size of SQLite's cache while games are added, in KiB."""


@attrs.frozen(kw_only=True)
class Added:
    """What became of games that were added."""

    games: int = 0
    """Number of games that the database did not have."""
    duplicates: int = 0
    """Number of games that it had."""
    replaced: int = 0
    """Number of duplicates whose headers replaced those of the database."""
    skipped: int = 0
    """Number of games of files that had been imported before."""

    def __add__(self, other: "Added") -> "Added":
        return Added(
            games=self.games + other.games,
            duplicates=self.duplicates + other.duplicates,
            replaced=self.replaced + other.replaced,
            skipped=self.skipped + other.skipped,
        )


class _Digests:
    """The numbers of the games by their digests."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.new: dict[int, int] = {}
        rows = store.numbers("SELECT digest, id FROM games")
        order = np.argsort(rows[:, 0], kind="stable")
        self._digests, self._numbers = rows[order].T
        self._version = self._changes()

    def _changes(self) -> int:
        """Return a number that changes when another connection writes."""
        return int(self._store.connection.execute("PRAGMA data_version").fetchone()[0])

    @property
    def current(self) -> bool:
        """Whether no other connection has written."""
        return self._changes() == self._version

    def numbers(self, digests: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[int]:
        """Return for each digest the number of a game that had it when the database was opened, or 0."""
        if not len(self._digests):
            return [0] * len(digests)
        places = np.minimum(np.searchsorted(self._digests, digests), len(self._digests) - 1)
        found: list[int] = np.where(self._digests[places] == digests, self._numbers[places], 0).tolist()
        return found

    def settle(self) -> None:
        """Move many new numbers into the arrays, which need a tenth of the memory."""
        if len(self.new) < _MANY:
            return
        digests = np.fromiter(self.new.keys(), np.int64, len(self.new))
        numbers = np.fromiter(self.new.values(), np.int64, len(self.new))
        self.new = {}
        order = np.argsort(digests)
        places = np.searchsorted(self._digests, digests[order])
        self._digests = np.insert(self._digests, places, digests[order])
        self._numbers = np.insert(self._numbers, places, numbers[order])


class Adder:
    """Adds games to one database."""

    def __init__(self, store: Store, headers: str = "old") -> None:
        """headers: one of Headers; GameforgeError for another text."""
        if headers not in get_args(Headers):
            raise GameforgeError(f"headers = {headers!r}: must be one of {', '.join(get_args(Headers))}")
        self._store, self._headers = store, headers
        self._digests = _Digests(store)

    def add(self, records: Sequence[GameRecord], source: tuple[int, int] | None = None) -> Added:
        """Add games in one transaction; source: the number of a source, and of its games that this completes.

        Raises GameforgeError for an illegal move, and DiskFull; then no game is added.
        """
        store, connection = self._store, self._store.connection
        replayed = store.replayer.ranked(records)
        for i in np.flatnonzero(replayed.wrong >= 0).tolist():
            who = " - ".join(name or "?" for name in records[i].players)
            raise GameforgeError(f"the game {who}: move {replayed.wrong[i] + 1} is not legal by the rules")
        try:
            with writing(connection):
                if not self._digests.current:
                    self._digests = _Digests(store)
                    store.rows.reload()
                batch = _Batch(store, self._digests, self._headers, records, replayed)
                store.rows.flush()
                connection.executemany(_INSERT, batch.new)
                connection.executemany(_REPLACE, batch.replaced)
                if source is not None:
                    connection.execute("UPDATE sources SET games = ? WHERE id = ?", source[::-1])
        except BaseException:
            store.rows.reload()
            raise
        self._digests.new |= batch.digests
        self._digests.settle()
        if batch.changed:
            store.index.drop(batch.changed)
        if batch.new:
            store.index.remember(batch.first, batch.chunk())
        return batch.added


class _Batch:
    """Games of one transaction: the rows to insert, and those whose headers are to be replaced."""

    def __init__(
        self, store: Store, digests: _Digests, headers: str, records: Sequence[GameRecord], replayed: Replayed
    ) -> None:
        self._store, self._headers = store, headers
        self._records, self._replayed = records, replayed
        self.first = store.count() + 1
        self.digests: dict[int, int] = {}
        self.changed: list[int] = []
        """Numbers of old games whose result is another one now."""
        self._kept: list[int] = []
        """Indices of the games that are new."""
        self._rows: list[Row] = []
        self._replaced: dict[int, Row] = {}
        moves = stored_ranks(replayed, store.replayer.width)
        self._moves, self._new_moves = moves, []  # type: list[bytes], list[bytes]
        signed = replayed.digests.view(np.int64)
        duplicates = replaced = 0
        for i, (record, digest, number) in enumerate(
            zip(records, signed.tolist(), digests.numbers(signed), strict=True)
        ):
            known = number or digests.new.get(digest) or self.digests.get(digest)
            if known and self._is(known, i):
                duplicates += 1
                replaced += self._replace(known, record)
                continue
            if not known:
                self.digests[digest] = self.first + len(self._kept)
            self._kept.append(i)
            self._rows.append(store.rows.row(record))
        self.added = Added(games=len(self._kept), duplicates=duplicates, replaced=replaced)
        starts = [store.replayer.stored_start(records[i]) for i in self._kept]
        self.new = [
            (self.first + k, signed_digest, moves[i], start, *row)
            for k, (i, signed_digest, start, row) in enumerate(
                zip(self._kept, signed[self._kept].tolist(), starts, self._rows, strict=True)
            )
        ]
        self.replaced = [(*row, number) for number, row in self._replaced.items()]

    def _is(self, number: int, i: int) -> bool:
        """Return whether a game has the start and the moves of game i of the batch, not only its digest."""
        start = self._store.replayer.stored_start(self._records[i])
        if number >= self.first:
            other = self._kept[number - self.first]
            return self._moves[other] == self._moves[i] and self._records[other].start == self._records[i].start
        query = "SELECT moves, start FROM games WHERE id = ?"
        stored = self._store.connection.execute(query, (number,)).fetchone()
        return bool(stored == (self._moves[i], start))

    def _replace(self, number: int, record: GameRecord) -> bool:
        """Replace the headers of a game if the new ones win; return whether they do and differ."""
        if self._headers == "old":
            return False
        if number >= self.first:
            before = self._rows[number - self.first]
        else:
            before = self._replaced.get(number) or self._store.select("id = ?", [number])[0].headers
        if self._headers == "fuller":
            stored = self._store.rows.record(number, record.start, record.codes, before)
            if fullness(record) <= fullness(stored):
                return False
        row = self._store.rows.row(record)
        if row == before:
            return False
        if number >= self.first:
            self._rows[number - self.first] = row
        else:
            self._replaced[number] = row
            if row[0] != before[0]:
                self.changed.append(number)
        return True

    def chunk(self) -> Chunk:
        """Return the positions of the new games, for the index."""
        game, replayer = self._store.game, self._store.replayer
        usual = game.side_to_move(replayer.initial)
        starts = [record.start for record in self._records]
        sides = [usual if start == replayer.initial else game.side_to_move(start) for start in starts]
        results = np.zeros(len(starts), np.uint8)
        results[self._kept] = [row[0] for row in self._rows]
        whole = chunk_of(self._replayed, sides, results.tolist())
        if len(self._kept) == len(starts):
            return whole
        kept = np.zeros(len(starts), bool)
        kept[self._kept] = True
        positions = np.repeat(kept, whole.sizes)
        return Chunk(
            whole.keys[positions], whole.ranks[positions], whole.sizes[kept], whole.sides[kept], whole.results[kept]
        )


def add_games(
    store: Store, records: Iterator[GameRecord], headers: str, progress: Callable[[int], None], source: int = 0
) -> Added:
    """Add games, 1,000 in a transaction, and index them; source: the number of their source, or 0.

    progress: called with the number of games so far; an exception that it raises ends the import.
    """
    adder = Adder(store, headers)
    done = skipped = 0
    if source:
        query = "SELECT games FROM sources WHERE id = ?"
        done = skipped = store.connection.execute(query, (source,)).fetchone()[0]
        for _ in islice(records, skipped):
            pass
    added = Added(skipped=skipped)
    try:
        with explained(store.path), _for_many(store.connection):
            while batch := list(islice(records, BATCH)):
                added += adder.add(batch, (source, done + len(batch)) if source else None)
                done += len(batch)
                store.index.update(store.count(), all=False)
                progress(done)
            if source:
                store.connection.execute("UPDATE sources SET finished = 1 WHERE id = ?", (source,))
            store.index.update(store.count())
    except DiskFull as error:
        kept = f"the {done:,} games before are kept; make room and import again to continue there"
        raise DiskFull(f"{error}; {kept}") from error
    return added


@contextlib.contextmanager
def _for_many(connection: sqlite3.Connection) -> Iterator[None]:
    """Prepare to add many games in the block.

    Garbage collections leave out the objects that are there now: the records bring about many, and to search the
    compiler's objects each time would be a tenth of the work. SQLite keeps few pages, since hardly any is read again.
    """
    size = connection.execute("PRAGMA cache_size").fetchone()[0]
    gc.freeze()
    try:
        connection.execute(f"PRAGMA cache_size = -{_CACHE}")
        yield
    finally:
        gc.unfreeze()
        connection.execute(f"PRAGMA cache_size = {size}")


def source_of(store: Store, path: Path) -> tuple[int, int]:
    """Return the number of the source that a file is, a new one if its content has not been seen, and its games if
    all have been imported, else 0.

    Raises GameforgeError if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from error
    query = "SELECT id, games * finished FROM sources WHERE digest = ?"
    found = store.connection.execute(query, (digest,)).fetchone()
    if found is not None:
        return int(found[0]), int(found[1])
    insert = "INSERT INTO sources (name, digest, games, finished) VALUES (?, ?, 0, 0)"
    number = store.connection.execute(insert, (path.name, digest)).lastrowid
    assert number is not None
    return number, 0
