"""Reviews: a player's verdicts on the moves of stored games, kept beside the moves."""

import contextlib
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.analysis import Judged, judge, mark
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player
from gameforge.records.store import Store
from gameforge.storage.database import transaction

_VERDICT = struct.Struct("<ffHB")
"""Scores of the best move and of the move made, rank of the best move, and index of the mark in _MARKS."""
_MARKS = ("", "?", "??")


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
    for i, number in enumerate(todo):
        progress(i, len(todo))
        [record] = store.records(store.select("id = ?", [number]))
        analysis = judge(player, record, oracles)
        first = next((i for i, one in enumerate(analysis.moves, 1) if mark(one, mistake)), None)
        verdicts = b"".join(_stored(one, mistake) for one in analysis.moves)
        with transaction(store.connection):
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
    return {player: _read(store, record, stored, legal) for player, stored in rows}


def _read(store: Store, record: GameRecord, stored: bytes, legal: Sequence[Sequence[int]]) -> list[StoredVerdict]:
    try:
        return [
            StoredVerdict(best=moves[rank], before=before, after=after, mark=_MARKS[index])
            for moves, (before, after, rank, index) in zip(legal, _VERDICT.iter_unpack(stored), strict=True)
        ]
    except (struct.error, ValueError, IndexError) as error:
        raise GameforgeError(f"{store.path}: the review of game {record.number} is damaged") from error


def merge_reviews(store: Store, other: Path) -> None:
    """Copy the reviews of another database whose games have been added."""
    with contextlib.closing(Store.open(other, store.game)) as theirs, transaction(store.connection):
        for one in (one for games in theirs.selected("id IN (SELECT game FROM reviews)") for one in games):
            [digest] = theirs.connection.execute("SELECT digest FROM games WHERE id = ?", [one.number]).fetchone()
            query = "SELECT ?, player, first_mistake, verdicts FROM reviews WHERE game = ?"
            for own in store.select("digest = ?", [digest]):
                if (own.moves, own.start) == (one.moves, one.start):
                    rows = theirs.connection.execute(query, (own.number, one.number)).fetchall()
                    store.connection.executemany("INSERT OR IGNORE INTO reviews VALUES (?, ?, ?, ?)", rows)
