"""The games that a match has played, and what is counted of them.

Games are kept in a file, from which they are read when somebody wants them. Every figure of a match follows from the
counts (gameforge.arena.result), so that a match of any length needs little memory.
"""

import abc
import contextlib
import math
import pickle
import tempfile
import threading
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, overload

import attrs

from gameforge.arena.elo import Pentanomial
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import DISPUTED_REASON, FORFEIT_REASONS, LATE_REASON
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


def game_key(game: GameRecord) -> int:
    """A number that identifies a game: a hash of its start and its moves, which is the same in every process."""
    return hash((game.start, game.codes))


class DistinctGames:
    """Counts the distinct games of a match, and estimates how many independent pairs they are worth.

    The games in which the first player has the first side are counted apart from the others. Half the sum of both
    counts is the effective number of pairs. To count distinct pairs would give too many: if each colour has five
    distinct games, as with a book from a fixed start, they combine into 25 pairs.
    """

    def __init__(self, keys: Iterable[int] = ()) -> None:
        """keys: those of the first games of the match (`game_key`)."""
        self._added = 0
        self._seen: tuple[set[int], set[int]] = set(), set()
        for key in keys:
            self._add(key)

    def add(self, game: GameRecord) -> None:
        """Add the next game of the match."""
        self._add(game_key(game))

    def _add(self, key: int) -> None:
        self._seen[self._added % 2].add(key)
        self._added += 1

    @property
    def games(self) -> int:
        """Number of distinct games (opening and moves)."""
        return len(self._seen[0] | self._seen[1])

    @property
    def pairs(self) -> int:
        """Effective number of independent pairs: half the sum of the distinct games of both colours, rounded down."""
        return sum(map(len, self._seen)) // 2


def repeats_text(players: tuple[str, str], distinct: int, games: int) -> str:
    """A sentence that warns of repeated games; empty if half of the games or more are distinct."""
    if 2 * distinct >= games:
        return ""
    return (
        f"only {distinct} of {games} games between {' and '.join(players)} are distinct; repeated games add no evidence"
    )


@attrs.define
class MatchCounts:
    """The games of a match, counted for the player named first. Both games of a pair follow each other."""

    results: list[int] = attrs.field(factory=lambda: [0, 0, 0])
    """Games that this player lost, drew and won."""
    pairs: list[int] = attrs.field(factory=lambda: [0] * 5)
    """Pairs in which it scored 0, 1/2, 1, 3/2 and 2 points."""
    distinct: DistinctGames = attrs.field(factory=DistinctGames)
    """The distinct games."""
    loops: int = 0
    """Draws for a reason that the game counts as a loop."""
    disputes: int = 0
    """Games that a program ended by other rules than those of the match."""
    disputes_drawn: int = 0
    """Those of them that are counted as draws."""
    forfeits: list[int] = attrs.field(factory=lambda: [0, 0])
    """Games that the first and the second player lost by a crash, an illegal move or on time."""
    late: list[int] = attrs.field(factory=lambda: [0, 0])
    """Those of them that they lost on time."""
    seconds: list[float] = attrs.field(factory=lambda: [0.0, 0.0])
    """Search time of both players."""
    processor: list[float] = attrs.field(factory=lambda: [0.0, 0.0])
    """Seconds of processor time of both players' searches."""
    searches: list[int] = attrs.field(factory=lambda: [0, 0])
    """Number of searches of both players."""
    dispute: tuple[int, str] | None = None
    """Number and note of the first game that a program ended by other rules."""
    crashes: dict[str, tuple[int, str]] = attrs.field(factory=dict)
    """For each player that crashed, by name: number and note of the first such game."""
    _before: int = 0
    """Points of the first player in the last game, 0 to 2."""

    @classmethod
    def of(cls, games: Iterable[GameRecord]) -> Self:
        """Count games, in pairs."""
        counts = cls()
        for game in games:
            counts.add(game)
        return counts

    def add(self, game: GameRecord) -> None:
        """Count the next game; the first player has the first side in every other game, from the first one on."""
        swapped = self.games % 2
        outcome = game.outcome
        points = outcome.points(swapped)
        self.results[points] += 1
        if swapped:
            self.pairs[self._before + points] += 1
        self._before = points
        self.distinct.add(game)
        self.loops += outcome.loop
        if outcome.reason == DISPUTED_REASON:
            self.disputes += 1
            self.disputes_drawn += outcome.winner is None
            self.dispute = self.dispute or (game.number, game.note)
        elif game.note and outcome.winner is not None:
            self.crashes.setdefault(game.players[1 - outcome.winner], (game.number, game.note))
        if outcome.winner is not None and outcome.reason in (*FORFEIT_REASONS, DISPUTED_REASON):
            self.forfeits[points == 2] += 1
            self.late[points == 2] += outcome.reason == LATE_REASON
        for player in (0, 1):
            side = player ^ swapped
            self.seconds[player] += game.seconds[side]
            self.processor[player] += game.processor[side]
            self.searches[player] += game.searches[side]

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.results)

    @property
    def pentanomial(self) -> Pentanomial:
        """`pairs`, as functions on Elo take them."""
        none, half, one, more, two = self.pairs
        return none, half, one, more, two

    @property
    def score(self) -> float:
        """Share of the points, in [0, 1]; nan before the first game."""
        _, draws, wins = self.results
        return (2 * wins + draws) / (2 * self.games) if self.games else math.nan

    def per_search(self, totals: list[float]) -> tuple[float, float]:
        """Return the mean per search of each player, of its total; nan without searches."""
        first, second = (total / n if n else math.nan for total, n in zip(totals, self.searches, strict=True))
        return first, second
