"""Opening lines of a database: what its games began with, as openings for matches and as a book."""

from collections.abc import Sequence

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Opening
from gameforge.records.store import Store

OPENING_LENGTH = 8
"""Plies of the openings of matches that a database gives."""
_MOST = 10_000
"""Largest number of openings; those with the most games come first."""
_SHARES = 1000
"""Number of lines of a book, in proportion to the games; a rare line has one nevertheless."""


def common_openings(store: Store, plies: int) -> list[Opening]:
    """Return the first `plies` moves of the games from the initial position that are longer, each line once.

    The most frequent come first, and at most 10,000. Raises GameforgeError if there are none.
    """
    size = store.replayer.width.itemsize
    query = (
        "SELECT CAST(substr(moves, 1, ?) AS BLOB), count(*) FROM games WHERE start IS NULL AND length(moves) > ? "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?"
    )
    rows = store.connection.execute(query, (plies * size, plies * size, _MOST)).fetchall()
    if not rows:
        raise GameforgeError(f"openings {store.path}: no game from the initial position is longer than {plies} plies")
    lines = _lines(store, [ranks for ranks, _ in rows])
    return [Opening(f"{store.path.name} {i}", store.replayer.initial, line) for i, line in enumerate(lines, 1)]


def book_lines(store: Store, plies: int, games: int) -> list[Opening]:
    """Return lines of up to `plies` moves, each of which at least `games` games begin with.

    A line ends where fewer games agree. It occurs as often as it was played, of 1,000 lines in all, but at least once.
    Raises GameforgeError if there are none.
    """
    size = store.replayer.width.itemsize
    query = "SELECT CAST(substr(moves, 1, ?) AS BLOB) FROM games WHERE start IS NULL AND length(moves) > 0"
    begun = [row[0] for row in store.connection.execute(query, (plies * size,))]
    table = np.full((len(begun), plies), -1, np.int32)
    ranks = [np.frombuffer(one, store.replayer.width) for one in begun]
    for row, one in zip(table, ranks, strict=True):
        row[: len(one)] = one
    table = table[np.lexsort(table.T[::-1])]
    lengths = np.zeros(len(table), np.int64)
    for ply in range(1, plies + 1):
        new = np.ones(len(table), bool)
        new[1:] = (table[1:, :ply] != table[:-1, :ply]).any(axis=1)
        begins = np.flatnonzero(new)
        sizes = np.diff(begins, append=len(table))
        lengths[np.repeat(sizes >= games, sizes) & (table[:, ply - 1] >= 0)] = ply
    table[np.arange(plies) >= lengths[:, None]] = -1
    lines, played = np.unique(table[lengths > 0], axis=0, return_counts=True)
    if not len(lines):
        raise GameforgeError(f"book {store.path}: no {games} games begin with the same move")
    shares = np.maximum(1, played * _SHARES // played.sum())
    stored = [line[line >= 0].astype(store.replayer.width).tobytes() for line in lines]
    return [
        Opening(f"{store.path.name} {i}", store.replayer.initial, line)
        for i, (line, share) in enumerate(zip(_lines(store, stored), shares.tolist(), strict=True), 1)
        for _ in range(share)
    ]


def _lines(store: Store, stored: Sequence[bytes]) -> list[tuple[int, ...]]:
    """Return the moves of lines from the initial position that are given by their ranks."""
    replayed = store.replayer.replayed(store.replayer.stored([(ranks, None) for ranks in stored]))
    moves, ends = replayed.moves.tolist(), replayed.games.ends.tolist()
    return [tuple(moves[begin:end]) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
