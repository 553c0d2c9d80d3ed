"""Recorded games, many at a time, as ranks of their moves (gameforge.kernel.recorded)."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Cells
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import State
from gameforge.kernel import recorded
from gameforge.kernel.assembly import block, check
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.launch import entry
from gameforge.play.game import Game

if TYPE_CHECKING:
    from gameforge.kernel.recorded import RankArray
    from gameforge.kernel.types import IntegerArray, WordArray


class Ranked(NamedTuple):
    """Games as the kernel takes them; `ends` are numbers of moves."""

    starts: "WordArray"
    ranks: "RankArray"
    ends: "IntegerArray"

    @classmethod
    def of(cls, starts: "WordArray", ranks: "Sequence[RankArray]") -> "Ranked":
        """Join the ranks of several games."""
        ends = np.cumsum([len(one) for one in ranks], dtype=np.int64)
        return cls(starts, np.concatenate(ranks, dtype=np.uint16) if ranks else np.zeros(0, np.uint16), ends)


class Replayed(NamedTuple):
    """What a replay finds out; a game of n moves has n + 1 positions."""

    games: Ranked
    moves: "WordArray"
    keys: "WordArray"
    """Spread keys of all positions."""
    digests: "WordArray"
    """A hash of the start and the moves, for each game."""
    wrong: "IntegerArray"
    """For each game the index of the first move that is not legal, or -1."""


@attrs.frozen(kw_only=True)
class CellPattern:
    """Cells that a position must have, seen from the side to move."""

    wanted: "WordArray"
    """For each code a word of the cells that must have it."""
    empty: int
    """A word of the cells that must be empty."""


class Replayer:
    """Replays games of one game; a thread has its own."""

    def __init__(self, game: Game) -> None:
        """Raises GameforgeError if a position can have more moves than ranks can number."""
        most = game.functions.max_moves
        if most > recorded.MOST_MOVES:
            raise GameforgeError(
                f"{game.rules.name} has positions with up to {most:,} moves; a database of games holds games with at "
                f"most {recorded.MOST_MOVES:,}"
            )
        self.game = game
        self.width = np.dtype(np.uint8 if most <= 1 << 8 else np.dtype("<u2"))
        """How ranks are stored."""
        self.initial = game.rules.initial()
        self._initial = np.array(self.initial, np.uint64)
        self._rules = game.compiled
        self._words = game.functions.words
        self._room = np.zeros(2 * self._words, np.uint64), np.zeros(max(1, most), np.uint64)

    def _starts(self, starts: Sequence[State | None]) -> "WordArray":
        """Return the words of several starts; None: the initial state."""
        found = np.tile(self._initial, (len(starts), 1))
        for i, start in enumerate(starts):
            if start is not None:
                found[i] = self._state(start)
        return found.reshape(-1)

    def _state(self, state: State) -> "WordArray":
        try:
            words = np.array(state, np.uint64)
        except (OverflowError, ValueError, TypeError):
            words = np.zeros(0, np.uint64)
        if words.shape != (self._words,):
            raise GameforgeError(f"{state!r} is not a state of {self.game.rules.name}, {self._words} words of 64 bits")
        return words

    def ranked(self, records: Sequence[GameRecord]) -> Replayed:
        """Replay games that are given by their moves."""
        ends = np.cumsum([len(record.codes) for record in records], dtype=np.int64)
        total = int(ends[-1]) if len(records) else 0
        try:
            moves = np.fromiter(chain.from_iterable(record.codes for record in records), np.uint64, total)
        except (OverflowError, TypeError) as error:
            raise GameforgeError(f"a move of the games is not a word of 64 bits: {error}") from None
        starts = self._starts([None if record.start == self.initial else record.start for record in records])
        games = Ranked(starts, np.zeros(total, np.uint16), ends)
        return self._run(recorded.rank_games, games, moves)

    def replayed(self, games: Ranked) -> Replayed:
        """Replay games that are given by their ranks."""
        return self._run(recorded.play_ranks, games, np.zeros(len(games.ranks), np.uint64))

    def _run(self, kernel: Any, games: Ranked, moves: "WordArray") -> Replayed:
        count = len(games.ends)
        keys, digests = np.zeros(len(moves) + count, np.uint64), np.zeros(count, np.uint64)
        wrong = np.zeros(count, np.int64)
        given = (moves, games.ends, games.ranks) if kernel is recorded.rank_games else (games.ranks, games.ends, moves)
        entry(kernel)(self._rules, *self._room, games.starts, *given, keys, digests, wrong)
        check(self._rules)
        return Replayed(games, moves, keys, digests, wrong)

    def stored(self, rows: Sequence[tuple[bytes, bytes | None]]) -> Ranked:
        """Read games that are stored as (ranks, start); raises GameforgeError if these have an impossible length."""
        starts: list[State | None] = []
        for ranks, start in rows:
            if len(ranks) % self.width.itemsize or (start is not None and len(start) != 8 * self._words):
                raise GameforgeError("a stored game is damaged: its moves or its start are cut off")
            starts.append(None if start is None else tuple(np.frombuffer(start, "<u8").tolist()))
        return Ranked.of(self._starts(starts), [np.frombuffer(ranks, self.width) for ranks, _ in rows])

    def stored_start(self, record: GameRecord) -> bytes | None:
        """Return the start of a game as it is stored; None if it is the initial state."""
        return None if record.start == self.initial else self._state(record.start).astype("<u8").tobytes()

    def key(self, state: State) -> int:
        """Return the spread key of a state."""
        keys = np.zeros(1, np.uint64)
        entry(recorded.keys_of)(self._rules, self._state(state), keys)
        check(self._rules)
        return int(keys[0])

    def first_plies(self, games: Ranked, key: int) -> "IntegerArray":
        """Return for each game the ply of the first position with a key, or -1."""
        found = np.zeros(len(games.ends), np.int64)
        entry(recorded.find_key)(self._rules, *self._room, *games, found, np.uint64(key))
        check(self._rules)
        return found

    def plies_of_cells(self, games: Ranked, pattern: CellPattern) -> "IntegerArray":
        """Return for each game the ply of the first position with certain cells, or -1."""
        cells = self.game.cells
        assert cells is not None
        read, found = compiled_function("cells", cells.cells), np.zeros(len(games.ends), np.int64)
        planes = np.zeros(cells.shape[0], np.uint64)
        task = recorded.Pattern(read, block(cells.data), planes, pattern.wanted, np.uint64(pattern.empty))
        entry(recorded.find_cells)(self._rules, *self._room, *games, found, task)
        check(self._rules, read)
        return found


def is_sound(moves: object, start: object, result: object) -> bool:
    """Return whether these columns of a game have values of their types, as only a damaged file does not."""
    return type(moves) is bytes and (start is None or type(start) is bytes) and result in (0, 1, 2, 3)


def cell_pattern(game: Game, text: str) -> CellPattern:
    """Read a pattern such as `own man: c3 e3, other king: f8, empty: d4`, seen from the side to move.

    The codes are those of the game's cells, of which a code may be abbreviated if no other begins so, and `empty`.
    Raises GameforgeError for an unknown code or cell, and if the game offers no cells.
    """
    cells = game.cells
    if cells is None:
        raise GameforgeError(f"pattern {text!r}: {game.rules.name} does not offer the capability 'cells'")
    wanted, empty = np.zeros(len(cells.codes), np.uint64), 0
    for part in text.split(","):
        code, colon, names = part.partition(":")
        mask = 0
        for name in names.split():
            if name not in cells.labels:
                raise GameforgeError(f"pattern {text!r}: there is no cell {name!r}; cells: {' '.join(cells.labels)}")
            mask |= 1 << cells.labels.index(name)
        found = _codes(cells, " ".join(code.split()))
        if not colon or not mask or len(found) != 1:
            raise GameforgeError(
                f"pattern {text!r}: {part.strip()!r} must be CODE: CELL CELL ..., with one of the codes "
                f"{', '.join([*cells.codes, 'empty'])}, seen from the side to move"
            )
        if found[0] == "empty":
            empty |= mask
        else:
            wanted[cells.codes.index(found[0])] |= np.uint64(mask)
    return CellPattern(wanted=wanted, empty=empty)


def _codes(cells: Cells, text: str) -> list[str]:
    known = [*cells.codes, "empty"]
    return [text] if text in known else [code for code in known if text and code.startswith(text)]


def stored_ranks(replayed: Replayed, width: "np.dtype[Any]") -> list[bytes]:
    """Return the ranks of each game as they are stored."""
    data, size = replayed.games.ranks.astype(width).tobytes(), width.itemsize
    ends: list[int] = replayed.games.ends.tolist()
    return [data[first * size : end * size] for first, end in zip([0, *ends[:-1]], ends, strict=True)]
