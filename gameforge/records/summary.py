"""What a database of games holds, in numbers, and whether it is sound."""

import sqlite3
from collections.abc import Callable

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.records.rows import DRAWN
from gameforge.records.store import BATCH, Store

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
