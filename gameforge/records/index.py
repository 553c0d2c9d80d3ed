"""The index of positions: which games of a database a position occurs in, and what was played there.

Games are indexed in segments of up to FULL games. In a segment, a position that occurs in POPULAR or more games has a
row of its own: a tally of the moves played there with their results, and the games. Every other occurrence is an entry
in one of 2^bits blocks, which the first bits of the position's key choose. An entry is the next 14 bits of the key, of
which only the distance to the entry before is stored (a byte in most cases), and two bytes for the game. So an entry
names a game that may have the position; a replay of the game decides.

The last games form smaller segments, so that adding a few games costs little. Which segments there are depends only on
the number of games. A game counts once for a position, with its first visit.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.records.replays import Replayed, Replayer, is_sound
from gameforge.records.tables import writing

if TYPE_CHECKING:
    from gameforge.kernel.recorded import RankArray
    from gameforge.kernel.types import IntegerArray, WordArray

FULL, SMALL = 64_000, 4_000
"""Games of a full segment, and of one of the smaller ones that hold the last games."""
POPULAR = 8
"""Fewest games in which a position has a tally."""
END = 0xFFFF
"""In place of the rank of a move: the game ended in the position."""
_PRINT = 14
"""Bits of an entry's key."""
_BLOCK = 128
"""A block has this many entries on average, or up to twice as many."""
_NEXT = 24
"""Bits of a block's number within the id of its row; the number of its segment stands above them."""
_BATCH = 1000
_DAMAGED = "the index of the database is damaged; merge the database into a new one"
TALLY = np.dtype([("rank", "<u2"), ("games", "<u2"), ("wins", "<u2"), ("draws", "<u2"), ("losses", "<u2")])
"""A move of a tally: results are those of the side that makes it; games without a result count in none of them."""


class Segment(NamedTuple):
    """Games first to first + games - 1."""

    number: int
    first: int
    games: int
    bits: int


class Chunk(NamedTuple):
    """Positions of consecutive games, in order."""

    keys: "WordArray"
    ranks: "RankArray"
    """Ranks of the moves made in them, or END."""
    sizes: "IntegerArray"
    """Number of positions of each game."""
    sides: "NDArray[np.uint8]"
    """The side that begins each game."""
    results: "NDArray[np.uint8]"
    """The column `result` of each game (tables.py)."""


def chunk_of(replayed: Replayed, sides: Sequence[int], results: Sequence[int]) -> Chunk:
    """Return the positions of replayed games."""
    ends = replayed.games.ends
    ranks = np.insert(replayed.games.ranks, ends, END)
    return Chunk(
        replayed.keys, ranks, np.diff(ends, prepend=0) + 1, np.array(sides, np.uint8), np.array(results, np.uint8)
    )


def _part(chunk: Chunk, begin: int, end: int) -> Chunk:
    """Return the games begin to end - 1 of a chunk."""
    places = np.concatenate([[0], np.cumsum(chunk.sizes)])
    positions, games = slice(places[begin], places[end]), slice(begin, end)
    return Chunk(
        chunk.keys[positions], chunk.ranks[positions], chunk.sizes[games], chunk.sides[games], chunk.results[games]
    )


class _Positions:
    """Positions of consecutive games, to which those of more games are added.

    Arrays of twice the length take the place of full ones. What is not used of an array takes no memory yet, while
    to join the arrays of all games at the end would need them twice.
    """

    def __init__(self, first: int, chunk: Chunk | None = None) -> None:
        """first: number of the first game; chunk: positions of it and of games after it."""
        self.first = first
        kinds = np.uint64, np.uint16, np.int64, np.uint8, np.uint8
        self._room: list[NDArray[np.generic]] = [np.zeros(0, kind) for kind in kinds]
        self._used = [0] * len(kinds)
        if chunk is not None:
            self.add(chunk)

    @property
    def end(self) -> int:
        """Number of the first game that is not there."""
        return self.first + self._used[-1]

    def add(self, chunk: Chunk) -> None:
        """Add the positions of the next games."""
        arrays: Sequence[NDArray[np.generic]] = chunk
        for i, new in enumerate(arrays):
            used, end = self._used[i], self._used[i] + len(new)
            if end > len(self._room[i]):
                larger = np.empty(2 * end, self._room[i].dtype)
                larger[:used] = self._room[i][:used]
                self._room[i] = larger
            self._room[i][used:end] = new
            self._used[i] = end

    def part(self, begin: int, end: int) -> Chunk:
        """Return the positions of the games with the numbers begin to end - 1."""
        used = Chunk._make(room[:size] for room, size in zip(self._room, self._used, strict=True))
        return _part(used, begin - self.first, end - self.first)


def planned(games: int) -> Iterator[tuple[int, int]]:
    """Yield (first game, number of games) of the segments of a database with this number of games."""
    first, left = 1, games
    for size in (FULL, SMALL):
        while left >= size:
            yield first, size
            first, left = first + size, left - size
    if left:
        yield first, left


class Built(NamedTuple):
    """A segment to be written."""

    bits: int
    blocks: list[tuple[int, bytes]]
    """(number, entries) of each block that has any."""
    popular: list[tuple[int, bytes, bytes]]
    """(key as a signed integer, tally, games sorted by move) of each popular position."""


_PARTS = 3
"""Positions are sorted in parts, which these first bits of their keys choose: that needs less memory."""


def build(chunk: Chunk) -> Built:
    """Make the segment of some games."""
    game = np.repeat(np.arange(len(chunk.sizes), dtype=np.uint16), chunk.sizes)
    firsts = np.concatenate([[0], np.cumsum(chunk.sizes)[:-1]]) if len(chunk.sizes) else np.zeros(0, np.int64)
    part_of = (chunk.keys >> np.uint64(64 - _PARTS)).astype(np.uint8)
    seldom: list[tuple[WordArray, NDArray[np.uint16]]] = []
    tallies: list[tuple[int, bytes, bytes]] = []
    for part in range(1 << _PARTS):
        order = np.flatnonzero(part_of == part)
        order = order[_sorted(chunk.keys[order])]
        keys, game_of = chunk.keys[order], game[order]
        kept = np.ones(len(keys), bool)
        kept[1:] = (keys[1:] != keys[:-1]) | (game_of[1:] != game_of[:-1])
        order, keys, game_of = order[kept], keys[kept], game_of[kept]
        begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
        sizes = np.diff(begins, append=len(keys))
        popular = np.repeat(sizes >= POPULAR, sizes)
        seldom.append((keys[~popular], game_of[~popular]))
        places, their_game = order[popular], game_of[popular]
        sides = (chunk.sides[their_game] + places - firsts[their_game]) & 1
        tallies += _tallies(keys[popular], their_game, chunk.ranks[places], sides, chunk.results[their_game])
    bits = max(0, (sum(len(keys) for keys, _ in seldom) // _BLOCK).bit_length() - 1)
    if bits < _PARTS:  # blocks would reach across parts
        keys, game_of = (np.concatenate(arrays) for arrays in zip(*seldom, strict=True))
        seldom = [(keys, game_of)]
    return Built(bits, [block for keys, games in seldom for block in _blocks(keys, games, bits)], tallies)


def _sorted(keys: "WordArray") -> "IntegerArray":
    """Return the places of the keys in ascending order, equal ones in their order.

    The first bits of each key are sorted together with its place, which is faster than to sort places by whole keys.
    """
    places = np.uint64((1 << len(keys).bit_length()) - 1)
    order = (np.sort(keys & ~places | np.arange(len(keys), dtype=np.uint64)) & places).astype(np.int64)
    found = keys[order]
    return order if (found[1:] >= found[:-1]).all() else np.argsort(keys, kind="stable")


def _blocks(keys: "WordArray", games: "NDArray[np.uint16]", bits: int) -> list[tuple[int, bytes]]:
    """Return (number, entries) of the blocks of sorted positions."""
    if not len(keys):
        return []
    top = (keys >> np.uint64(64 - bits - _PRINT)).astype(np.int64)
    block = top >> _PRINT
    begins = np.flatnonzero(np.diff(block, prepend=-1))
    distances = np.diff(top, prepend=0)
    distances[begins] = top[begins] & ((1 << _PRINT) - 1)
    lengths = distances // 255 + 1
    places = np.cumsum(lengths)
    written = np.full(int(places[-1]), 255, np.uint8)
    written[places - 1] = distances % 255
    data, names = written.tobytes(), games.astype("<u2").tobytes()
    ends = np.append(begins[1:], len(keys))
    froms, tos = (places[begins] - lengths[begins]).tolist(), places[ends - 1].tolist()
    return [
        (number, (end - begin).to_bytes(4, "little") + data[from_:to] + names[2 * begin : 2 * end])
        for number, begin, end, from_, to in zip(
            block[begins].tolist(), begins.tolist(), ends.tolist(), froms, tos, strict=True
        )
    ]


def entries_of(stored: bytes) -> tuple["IntegerArray", "NDArray[np.uint16]"]:
    """Return (bits of the keys, games) of a block's entries; raises GameforgeError if it is damaged."""
    count = int.from_bytes(stored[:4], "little")
    middle = len(stored) - 2 * count
    written = np.frombuffer(stored[4 : max(4, middle)], np.uint8)
    prints = np.cumsum(written, dtype=np.int64)[written != 255]
    if middle < 4 or len(prints) != count:
        raise GameforgeError(_DAMAGED)
    return prints, np.frombuffer(stored[middle:], "<u2")


def _tallies(
    keys: "WordArray",
    games: "NDArray[np.uint16]",
    ranks: "RankArray",
    sides: "IntegerArray",
    results: "NDArray[np.uint8]",
) -> list[tuple[int, bytes, bytes]]:
    """Return the rows of popular positions, whose occurrences are sorted by their keys."""
    if not len(keys):
        return []
    order = np.lexsort((games, ranks, keys))
    keys, games, ranks = keys[order], games[order], ranks[order]
    sides, results = sides[order], results[order]
    new_key = np.concatenate([[True], keys[1:] != keys[:-1]])
    begins = np.flatnonzero(new_key | np.concatenate([[True], ranks[1:] != ranks[:-1]]))
    tally = np.zeros(len(begins), TALLY)
    tally["rank"] = ranks[begins]
    tally["games"] = np.diff(begins, append=len(keys))
    tally["wins"] = np.add.reduceat((results == sides + 1).astype(np.int64), begins)
    tally["losses"] = np.add.reduceat((results == 2 - sides).astype(np.int64), begins)
    tally["draws"] = np.add.reduceat((results == 3).astype(np.int64), begins)
    groups = np.flatnonzero(new_key)
    rows = np.searchsorted(begins, groups)
    moves, names, size = tally.tobytes(), games.astype("<u2").tobytes(), TALLY.itemsize
    ends, row_ends = [*groups[1:].tolist(), len(keys)], [*rows[1:].tolist(), len(begins)]
    return [
        (key, moves[size * row : size * row_end], names[2 * begin : 2 * end])
        for key, row, row_end, begin, end in zip(
            keys[groups].view(np.int64).tolist(), rows.tolist(), row_ends, groups.tolist(), ends, strict=True
        )
    ]


class Sighting(NamedTuple):
    """What a segment knows about a position: a tally, or games that may have it."""

    segment: Segment
    tally: "NDArray[np.void] | None"
    games: Callable[[], "IntegerArray"]
    """Returns their numbers; with a tally, those of the tally's first move come first, and so on."""


class Index:
    """The index of one database."""

    def __init__(self, connection: sqlite3.Connection, replayer: Replayer) -> None:
        self._connection, self._replayer = connection, replayer
        self._recent = _Positions(1)

    def segments(self) -> list[Segment]:
        """Return the segments, in the order of their games."""
        rows = self._connection.execute("SELECT id, first, games, bits FROM segments ORDER BY first").fetchall()
        if not all(type(number) is int and number >= 0 for row in rows for number in row) or any(
            one.games > FULL or one.bits > 64 - _PRINT or one.number >= 1 << 32 for one in map(Segment._make, rows)
        ):
            raise GameforgeError(_DAMAGED)
        return [Segment(*row) for row in rows]

    def remember(self, first: int, chunk: Chunk) -> None:
        """Take the positions of games that have just been added, so that they need not be replayed."""
        if self._recent.end != first:
            self._recent = _Positions(first)
        self._recent.add(chunk)

    def update(self, games: int, *, all: bool = True) -> None:
        """Index the games 1 to `games`. all: also those that do not fill a segment yet."""
        there = {(one.first, one.games) for one in self.segments()}
        for first, count in planned(games):
            if (first, count) not in there and (all or count == FULL):
                self._write(first, count, build(self._positions(first, count)))
                if count == FULL:
                    self._forget(first + count)

    def drop(self, games: Sequence[int]) -> None:
        """Remove the segments with these games, whose results have changed; `update` makes them again."""
        for one in self.segments():
            if any(one.first <= game < one.first + one.games for game in games):
                self._remove(one)
        self._recent = _Positions(1)

    def _forget(self, first: int) -> None:
        """Forget the remembered positions of games before this one."""
        kept = max(first, self._recent.first), self._recent.end
        if self._recent.first < kept[0] <= kept[1]:
            self._recent = _Positions(kept[0], self._recent.part(*kept))

    def _positions(self, first: int, count: int) -> Chunk:
        """Return the positions of games, replayed or remembered."""
        end, recent = first + count, self._recent
        if recent.first <= first and end <= recent.end:
            return recent.part(first, end)
        known = recent.first if first < recent.first < end <= recent.end else end
        found = _Positions(first)
        for begin in range(first, known, _BATCH):
            found.add(self._replayed(begin, min(begin + _BATCH, known)))
        if known < end:
            found.add(recent.part(known, end))
        return found.part(first, end)

    def _replayed(self, begin: int, end: int) -> Chunk:
        rows = self._connection.execute(
            "SELECT moves, start, result FROM games WHERE id >= ? AND id < ? ORDER BY id", (begin, end)
        ).fetchall()
        if len(rows) != end - begin or not all(is_sound(*row) for row in rows):
            raise GameforgeError(
                f"the database is damaged: one of the games {begin} to {end - 1} is missing or cut off"
            )
        replayed = self._replayer.replayed(self._replayer.stored([row[:2] for row in rows]))
        wrong = np.flatnonzero(replayed.wrong >= 0)
        if len(wrong):
            number = int(wrong[0])
            raise GameforgeError(
                f"game {begin + number} of the database is damaged: its move {replayed.wrong[number] + 1} is not legal"
            )
        game, words = self._replayer.game, self._replayer.game.functions.words
        starts = replayed.games.starts.reshape(-1, words)
        usual = game.side_to_move(self._replayer.initial)
        sides = [
            usual if row[1] is None else game.side_to_move(tuple(starts[i].tolist())) for i, row in enumerate(rows)
        ]
        return chunk_of(replayed, sides, [row[2] for row in rows])

    def _write(self, first: int, count: int, built: Built) -> None:
        connection = self._connection
        with writing(connection):
            for one in self.segments():
                if one.first < first + count and first < one.first + one.games:
                    self._remove(one)
            number = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM segments").fetchone()[0]
            connection.execute("INSERT INTO segments VALUES (?, ?, ?, ?)", (number, first, count, built.bits))
            connection.executemany(
                "INSERT INTO blocks VALUES (?, ?)",
                (((number << _NEXT) + block, entries) for block, entries in built.blocks),
            )
            connection.executemany(
                "INSERT INTO popular VALUES (?, ?, ?, ?)",
                ((number, key, tally, games) for key, tally, games in built.popular),
            )

    def _remove(self, one: Segment) -> None:
        number = one.number
        self._connection.execute("DELETE FROM segments WHERE id = ?", (number,))
        self._connection.execute(
            "DELETE FROM blocks WHERE id >= ? AND id < ?", (number << _NEXT, (number + 1) << _NEXT)
        )
        self._connection.execute("DELETE FROM popular WHERE segment = ?", (number,))

    def sightings(self, key: int) -> list[Sighting]:
        """Return what the segments know about the position with a spread key."""
        segments = {one.number: one for one in self.segments()}
        signed = key - (1 << 64) if key >> 63 else key
        found = []
        query = f"SELECT segment, moves FROM popular WHERE key = ? AND segment IN ({','.join('?' * len(segments))})"
        for number, moves in self._connection.execute(query, [signed, *segments]).fetchall():
            if type(moves) is not bytes or len(moves) % TALLY.itemsize:
                raise GameforgeError(_DAMAGED)
            segment = segments.pop(number)
            found.append(Sighting(segment, np.frombuffer(moves, TALLY), self._games_of(signed, segment)))
        blocks = {(one.number << _NEXT) + (key >> 64 - one.bits if one.bits else 0): one for one in segments.values()}
        query = f"SELECT id, entries FROM blocks WHERE id IN ({','.join('?' * len(blocks))})"
        for number, entries in self._connection.execute(query, [*blocks]):
            one = blocks[number]
            prints, games = entries_of(entries if type(entries) is bytes else b"")
            wanted = key >> 64 - one.bits - _PRINT & (1 << _PRINT) - 1
            begin, end = np.searchsorted(prints, [wanted, wanted + 1])
            if begin < end:
                these = one.first + games[begin:end].astype(np.int64)
                found.append(Sighting(one, None, lambda these=these: these))  # type: ignore[misc]
        return sorted(found, key=lambda sighting: sighting.segment.first)

    def _games_of(self, key: int, segment: Segment) -> Callable[[], "IntegerArray"]:
        def games() -> "IntegerArray":
            query = "SELECT games FROM popular WHERE key = ? AND segment = ?"
            stored = self._connection.execute(query, (key, segment.number)).fetchone()[0]
            if type(stored) is not bytes or len(stored) % 2:
                raise GameforgeError(_DAMAGED)
            found = np.frombuffer(stored, "<u2").astype(np.int64)
            if not len(found) or found.max() >= segment.games:
                raise GameforgeError(_DAMAGED)
            return segment.first + found

        return games

    def differs(self, games: int) -> bool:
        """Return whether the index is not what the games give; it must cover all of them."""
        segments = self.segments()
        if [(one.first, one.games) for one in segments] != [*planned(games)]:
            return True
        for one in segments:
            built = build(self._positions(one.first, one.games))
            low, high = one.number << _NEXT, (one.number + 1) << _NEXT
            query = "SELECT id - ?, entries FROM blocks WHERE id >= ? AND id < ? ORDER BY id"
            blocks = self._connection.execute(query, (low, low, high)).fetchall()
            query = "SELECT key, moves, games FROM popular WHERE segment = ? ORDER BY key"
            popular = self._connection.execute(query, (one.number,)).fetchall()
            if (one.bits, blocks, popular) != (built.bits, built.blocks, sorted(built.popular)):
                return True
        return False
