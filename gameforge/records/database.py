"""A database of games, for programs: `gf.games_db(path)`.

Beside the moves of its games it keeps reviews: players' verdicts on them.
"""

import contextlib
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

import attrs

from gameforge.config import Spec
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import PLAIN, Unit
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.rules import State
from gameforge.play.analysis import Judged, judge, least_loss, mark
from gameforge.play.game import Game, Position, same_rules
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player, score_unit
from gameforge.records.adding import Added, add_games, source_of
from gameforge.records.finding import Found, Query, count, find
from gameforge.records.game_records import read_records
from gameforge.records.openings import OPENING_LENGTH, Tree, book_lines, common_openings, tree
from gameforge.records.store import Statistics, Store, problems, statistics
from gameforge.records.tables import is_games_db, writing
from gameforge.storage.database import explained
from gameforge.storage.stored import parse_json, read_as


def games_db(
    path: str | Path, game: Game | str | None = None, *, must_exist: bool = False, registry: Registry | None = None
) -> "GamesDb":
    """Open a database of games, or make one if there is no such file.

    * `path`: the file.
    * `game`: the game, or its name with settings; needed to make a database. An existing one must have games of it; its
      rules of draws may differ.
    * `must_exist`: make no database.
    * `registry`: the plugins to choose from; by default, all installed plugins.

    Raises GameforgeError if the file is something else, damaged, or a database of another game.
    """
    path = Path(path)
    rules = game
    if isinstance(game, str):
        rules = Game((registry or default_registry()).create("rules", Spec.parse(game)))
    assert not isinstance(rules, str)
    if path.exists() and (not path.is_file() or path.stat().st_size):
        return GamesDb(Store.open(path, rules, registry))
    if must_exist:
        raise GameforgeError(f"there is no database {path}; `gameforge games import` makes one")
    if rules is None:
        raise GameforgeError(f"there is no file {path}", advice="name a game to make a database", parameter="game")
    return GamesDb(Store.create(path, rules))


class GamesDb:
    """A database of games of one game, in one file; one thread at a time may use it.

    Games are numbered from 1 in the order in which they were added. A game with the start and the moves of another one
    is stored once. Every method raises GameforgeError, with one sentence, if the file is damaged or cannot be written.
    What writes waits while another program is writing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def game(self) -> Game:
        """The game that its games are of."""
        return self._store.game

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        with explained(self.path):
            return self._store.count()

    def __repr__(self) -> str:
        return f"<database {self.path} of {self.game.rules.name}>"

    def add(
        self,
        records: Iterable[GameRecord],
        *,
        headers: str = "old",
        progress: Callable[[int], None] = lambda done: None,
    ) -> Added:
        """Add games, 1,000 in a transaction.

        headers: which headers a game has that the database has already: "old", "new" or "fuller" (those with more tags,
        comments, marks and variations). progress: called with the number of games so far. Raises GameforgeError for a
        game with an illegal move; the thousands before it stay.
        """
        with explained(self.path):
            return add_games(self._store, iter(records), headers, progress)

    def add_file(
        self,
        file: str | Path,
        *,
        headers: str = "old",
        tolerant: bool = False,
        encoding: str = "utf-8",
        notice: Callable[[str], None] = print,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Added:
        """Add the games of a file: another database, the games.jsonl of a match, or one in the game's own format.

        An interrupted import of the file goes on where it stopped, and a file that has been imported adds nothing.

        * `headers`, `progress`: as for `add`.
        * `tolerant`: leave out games that cannot be read, and report them to `notice`.
        * `encoding`: that of a text file.

        Raises GameforgeError also if the file cannot be read; the thousands of games before a bad one stay.
        """
        file = Path(file)
        if file.exists() and file.samefile(self.path):
            raise GameforgeError(f"{file} is the database itself")
        with explained(self.path):
            source, finished = source_of(self._store, file)
            if finished:
                return Added(skipped=finished)
            read = read_records(file, self.game, tolerant=tolerant, encoding=encoding, notice=notice)
            return add_games(self._store, (record for _, record in read), headers, progress, source)

    def merge(
        self,
        other: str | Path,
        *,
        headers: str = "old",
        tolerant: bool = False,
        notice: Callable[[str], None] = print,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Added:
        """Add the games of another database of the same game, and its reviews; parameters as for add_file."""
        if not is_games_db(Path(other)):
            raise GameforgeError(f"{other} is not a database of games")
        added = self.add_file(other, headers=headers, tolerant=tolerant, notice=notice, progress=progress)
        with explained(self.path):
            merge_reviews(self._store, Path(other))
        return added

    def find(
        self,
        *,
        player: str = "",
        result: str = "",
        opening: str = "",
        position: str | Position | State | None = None,
        pattern: str = "",
        since: str = "",
        until: str = "",
        event: str = "",
        symmetries: bool = False,
        limit: int | None = None,
    ) -> Iterator[Found]:
        """Yield the games that have all that is given, in the order of their numbers.

        * `player`, `event`: a part of the name; upper and lower case are alike.
        * `result`: a side that won, `draw` or `unfinished`; or `win` or `loss` of the player.
        * `opening`: first moves, the name of an opening of the game's sets, or a part of the tag Opening.
        * `position`: a position that occurs, as text, Position or state; with `symmetries`, or one of its images.
        * `pattern`: cells that occur at once, seen from the side to move: `own man: c3 e3, empty: d4`.
        * `since`, `until`: the earliest and the latest date, such as `1998` or `1998.05.12`.
        * `limit`: the largest number of games.

        Raises GameforgeError for a position of another game and for a value that is not allowed.
        """
        query = Query(
            player=player,
            result=result,
            opening=opening,
            position=None if position is None else self._state(position),
            pattern=pattern,
            since=since,
            until=until,
            event=event,
            symmetries=symmetries,
        )
        return self.found(query, limit)

    def found(self, query: Query, limit: int | None = None) -> Iterator[Found]:
        """Yield the games that a query describes, as `find` does."""
        with explained(self.path):
            yield from islice(find(self._store, query), limit)

    def count(self, query: Query) -> int:
        """Return the number of games that a query describes; raises as `find` does."""
        with explained(self.path):
            return count(self._store, query)

    def game_number(self, number: int) -> GameRecord:
        """Return the game with this number, from 1; GameforgeError if there is none."""
        with explained(self.path):
            games = self._store.select("id = ?", [number])
            if not games:
                raise GameforgeError(f"{self.path} has no game {number}; it has {self._store.count():,} games")
            return self._store.records(games)[0]

    def tree(self, position: str | Position | State | None = None, *, symmetries: bool = False) -> Tree:
        """Return the moves that were played in a position, with their results; None: in the initial position.

        symmetries: count what was played in the images of the position as well. A game counts once, with its first
        visit.
        """
        state = self.game.rules.initial() if position is None else self._state(position)
        with explained(self.path):
            return tree(self._store, state, symmetries)

    def statistics(self) -> Statistics:
        """Return what the database holds, in numbers."""
        with explained(self.path):
            return statistics(self._store)

    def openings(self, plies: int = OPENING_LENGTH) -> list[Opening]:
        """Return the first moves of the games, each line once, the most frequent first; at most 10,000 lines."""
        with explained(self.path):
            return common_openings(self._store, plies)

    def book(self, plies: int = 16, games: int = 2) -> list[Opening]:
        """Return the lines of a book: up to `plies` moves that at least `games` games begin with.

        A line occurs as often as it was played, of 1,000 lines in all, but at least once.
        """
        with explained(self.path):
            return book_lines(self._store, plies, games)

    def review(
        self,
        player: Player,
        *,
        games: Iterable[GameRecord] | None = None,
        oracles: Sequence[OracleHandle] = (),
        mistake: float | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Let a player judge games of the database that it has not judged; return the number of those judged now.

        * `games`: what `find` has found; by default, all games.
        * `oracles`: exact verdicts that outrank the player's scores.
        * `mistake`: the least loss of a mistake, on the scale of scores; by default 5 % of the points, or half of a
          piece, in the unit of the player.
        * `progress`: called with the numbers of games done and of all; an exception that it raises ends the review.

        Each verdict is stored when its game has been judged, under the name of the player.
        """
        with explained(self.path):
            numbers = range(1, self._store.count() + 1) if games is None else [one.number for one in games]
            least = least_loss(score_unit(player)) if mistake is None else mistake
            return review(self._store, player, numbers, oracles, least, progress)

    def verdicts(self, game: GameRecord) -> "dict[str, list[StoredVerdict]]":
        """Return the verdicts on the moves of a game of the database, by the name of the player who gave them."""
        with explained(self.path):
            return verdicts(self._store, game)

    def check(self, progress: Callable[[int, int], None] = lambda done, total: None) -> list[str]:
        """Return a sentence for each thing that is wrong in the file, in a game, which is replayed, or in the index."""
        with explained(self.path):
            return problems(self._store, progress)

    def _state(self, position: str | Position | State) -> State:
        if isinstance(position, str):
            try:
                return self.game.parse_position(position)
            except GameforgeError as error:
                raise GameforgeError(f"{self.path} has games of {self.game.rules.name}: {error}") from error
        if isinstance(position, Position):
            if not same_rules(position.game.rules, self.game.rules):
                raise GameforgeError(
                    f"{self.path} has games of {self.game.rules.name}, but the position is one of "
                    f"{position.game.rules.name}"
                )
            return position.state
        return position


_VERDICT = struct.Struct("<ffHB")
"""Scores of the best move and of the move made, rank of the best move, and index of the mark in _MARKS."""
_MARKS = ("", "?", "??")
_UNIT = ("one", "many", "worth", "even", "decimals")
"""What is stored of a player's unit."""


@attrs.frozen(kw_only=True)
class StoredVerdict:
    """A verdict on a move of a game; scores are for the side that made it."""

    best: int
    """Word of the move that the player prefers."""
    before: float
    """Score of the best move."""
    after: float
    """Score of the move made."""
    mark: str
    """`?` for a mistake, `??` for one that loses the game, else ""."""
    unit: Unit = PLAIN
    """What the scores count; PLAIN also for reviews of versions that did not store it."""


def review(
    store: Store,
    player: Player,
    numbers: Sequence[int],
    oracles: Sequence[OracleHandle],
    mistake: float,
    progress: Callable[[int, int], None],
) -> int:
    """Judge the games with these numbers that the player has not judged; return the number of those judged now.

    Each game is stored when it has been judged. progress: called with the numbers of games done and of all.
    """
    query = "SELECT game FROM reviews WHERE player = ?"
    done = {game for (game,) in store.connection.execute(query, (player.name,))}
    todo = [number for number in numbers if number not in done]
    if todo:
        unit = json.dumps({name: getattr(score_unit(player), name) for name in _UNIT})
        with writing(store.connection):
            store.connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (f"unit {player.name}", unit))
    for i, number in enumerate(todo):
        progress(i, len(todo))
        [record] = store.records(store.select("id = ?", [number]))
        analysis = judge(player, record, oracles)
        first = next((i for i, one in enumerate(analysis.moves, 1) if mark(one, mistake)), None)
        verdicts = b"".join(_stored(one, mistake) for one in analysis.moves)
        with writing(store.connection):
            store.connection.execute(
                "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?)", (number, player.name, first, verdicts)
            )
    progress(len(todo), len(todo))
    return len(todo)


def _stored(judged: Judged, mistake: float) -> bytes:
    rank = sorted(judged.move.position.codes).index(judged.best.code)
    return _VERDICT.pack(judged.before, judged.after, rank, _MARKS.index(mark(judged, mistake)))


def verdicts(store: Store, record: GameRecord) -> dict[str, list[StoredVerdict]]:
    """Return the verdicts on the moves of a stored game, by the name of the player who gave them."""
    query = "SELECT player, verdicts FROM reviews WHERE game = ? ORDER BY player"
    rows = store.connection.execute(query, (record.number,)).fetchall()
    if not rows:
        return {}
    legal = [sorted(move.position.codes) for move in store.game.moves_of(record)]
    return {player: _read(store, record, stored, legal, _unit(store, player)) for player, stored in rows}


def _unit(store: Store, player: str) -> Unit:
    """Return what the scores of a player count that has reviewed games."""
    found = store.connection.execute("SELECT value FROM about WHERE key = ?", (f"unit {player}",)).fetchone()
    if found is None:
        return PLAIN
    try:
        unit = read_as(Unit, parse_json(found[0]))
    except (GameforgeError, ValueError) as error:
        raise GameforgeError(f"{store.path}: the unit of the reviews of {player} is damaged: {error}") from error
    return attrs.evolve(unit, piece_odds=store.game.piece_odds) if unit == Unit.EXPECTED_RESULT else unit


def _read(
    store: Store, record: GameRecord, stored: bytes, legal: Sequence[Sequence[int]], unit: Unit
) -> list[StoredVerdict]:
    try:
        return [
            StoredVerdict(best=moves[rank], before=before, after=after, mark=_MARKS[index], unit=unit)
            for moves, (before, after, rank, index) in zip(legal, _VERDICT.iter_unpack(stored), strict=True)
        ]
    except (struct.error, ValueError, IndexError, TypeError) as error:  # SQLite keeps values of any type in a column
        raise GameforgeError(f"{store.path}: the review of game {record.number} is damaged") from error


def merge_reviews(store: Store, other: Path) -> None:
    """Copy the reviews of another database whose games have been added."""
    with contextlib.closing(Store.open(other, store.game)) as theirs, writing(store.connection):
        units = theirs.connection.execute("SELECT key, value FROM about WHERE key LIKE 'unit %'").fetchall()
        store.connection.executemany("INSERT OR IGNORE INTO about VALUES (?, ?)", units)
        for one in (one for games in theirs.selected("id IN (SELECT game FROM reviews)") for one in games):
            [digest] = theirs.connection.execute("SELECT digest FROM games WHERE id = ?", [one.number]).fetchone()
            query = "SELECT ?, player, first_mistake, verdicts FROM reviews WHERE game = ?"
            for own in store.select("digest = ?", [digest]):
                if (own.moves, own.start) == (one.moves, one.start):
                    rows = theirs.connection.execute(query, (own.number, one.number)).fetchall()
                    store.connection.executemany("INSERT OR IGNORE INTO reviews VALUES (?, ?, ?, ?)", rows)
