"""How games open: what was played in a position, common first moves, and the lines that come with a game.

`tree` counts the games of a database that went through a position, by their next moves. `common_openings` and
`book_lines` are what its games began with, for matches and as a book. `OpeningLines` names the openings of a game as
they are played, and says how its lines go on. Lines that reach a position in different orders meet, and so do the
images of a position under the symmetries of the game, such as the first moves on a symmetrical board.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import State
from gameforge.play.display import Tabular
from gameforge.play.game import Game, Move, Position
from gameforge.records.finding import Image, images
from gameforge.records.index import END, Sighting
from gameforge.records.store import BATCH, Store
from gameforge.records.tables import DRAWN

if TYPE_CHECKING:
    from gameforge.kernel.types import IntegerArray


@attrs.frozen(kw_only=True)
class PlayedMove:
    """A move that was played in a position."""

    move: Move | None
    """The move; None for the games that ended in the position."""
    games: int
    """Number of games."""
    wins: tuple[int, int]
    """Games won by the first and by the second mover."""
    draws: int
    """Drawn games; those that are neither drawn nor won have no result."""
    first_mistake: float | None
    """Average ply of the first mistake in those games that were reviewed and have one; None if there are none."""

    @property
    def score(self) -> float | None:
        """The share of the points that the side to move got in the games with a result; None without such games."""
        finished = sum(self.wins) + self.draws
        if not finished or self.move is None:
            return None
        return (self.wins[self.move.position.turn] + self.draws / 2) / finished


@attrs.frozen(kw_only=True)
class Tree(Tabular):
    """What was played in a position, the most frequent move first."""

    position: Position
    moves: tuple[PlayedMove, ...]

    @property
    def games(self) -> int:
        """Number of games with the position."""
        return sum(one.games for one in self.moves)

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each move; the move None stands for games that ended in the position."""
        sides = self.position.game.rules.sides
        return [
            {
                "move": None if one.move is None else str(one.move),
                "games": one.games,
                sides[0]: one.wins[0],
                "draws": one.draws,
                sides[1]: one.wins[1],
                "score": one.score,
                "first_mistake": one.first_mistake,
            }
            for one in self.moves
        ]

    def __str__(self) -> str:
        moves = sum(1 for one in self.moves if one.move is not None)
        return f"{self.games:,} games with the position, in which {moves} moves were played"


class _Counts:
    """Games, wins, draws and losses of the side to move, by the move."""

    def __init__(self) -> None:
        self.games: Counter[int | None] = Counter()
        self.wins: Counter[int | None] = Counter()
        self.draws: Counter[int | None] = Counter()
        self.losses: Counter[int | None] = Counter()
        self.mistakes: dict[int | None, list[int]] = {}


def tree(store: Store, state: State, symmetries: bool) -> Tree:
    """Return what was played in a position; with `symmetries`, also in its images, with the moves turned back."""
    store.require_index()
    position, counts, mistakes = Position(store.game, state), _Counts(), _first_mistakes(store)
    legal = store.game.legal(state)
    for image in images(store, state, symmetries):
        moves: dict[int, int | None] = {END: None}
        turned = sorted(store.game.legal(image.state))
        for move in legal:
            there = move
            if image.symmetry:
                assert store.game.symmetries is not None
                there = store.game.symmetries.move_image(state, move, image.symmetry)
            if there in turned:
                moves[turned.index(there)] = move
        sightings = store.index.sightings(image.key)
        for sighting in sightings:
            if sighting.tally is not None:
                _count_tally(sighting, moves, counts, mistakes)
        rare = [number for one in sightings if one.tally is None for number in one.games().tolist()]
        _count_games(store, rare, image, moves, counts, mistakes)
    found = [_played(position, move, counts) for move in counts.games]
    return Tree(
        position=position, moves=tuple(sorted(found, key=lambda one: (one.move is None, -one.games, str(one.move))))
    )


def _played(position: Position, move: int | None, counts: _Counts) -> PlayedMove:
    results = counts.wins[move], counts.losses[move]
    wins = results if position.turn == 0 else results[::-1]
    mistakes = counts.mistakes.get(move)
    return PlayedMove(
        move=None if move is None else Move(position, move),
        games=counts.games[move],
        wins=wins,
        draws=counts.draws[move],
        first_mistake=sum(mistakes) / len(mistakes) if mistakes else None,
    )


def _first_mistakes(store: Store) -> "IntegerArray":
    """Return the ply of the first mistake of each game by its number, 0 if there is none; empty without reviews."""
    query = "SELECT game, min(first_mistake) FROM reviews WHERE first_mistake IS NOT NULL GROUP BY game"
    reviews = store.numbers(query)
    reviews = reviews[(reviews[:, 0] > 0) & (reviews[:, 0] <= store.count())]
    plies = np.zeros(store.count() + 1 if len(reviews) else 0, np.int64)
    plies[reviews[:, 0]] = reviews[:, 1]
    return plies


def _count_tally(
    sighting: Sighting, moves: Mapping[int, int | None], counts: _Counts, mistakes: "IntegerArray"
) -> None:
    assert sighting.tally is not None
    games = sighting.games() if len(mistakes) else np.zeros(0, np.int64)
    begin = 0
    for rank, number, wins, draws, losses in sighting.tally.tolist():
        move = moves.get(rank)
        counts.games[move] += number
        counts.wins[move] += wins
        counts.draws[move] += draws
        counts.losses[move] += losses
        if len(games):
            plies = mistakes[games[begin : begin + number]]
            counts.mistakes.setdefault(move, []).extend(plies[plies > 0].tolist())
        begin += number


def _count_games(
    store: Store,
    numbers: Sequence[int],
    image: Image,
    moves: Mapping[int, int | None],
    counts: _Counts,
    mistakes: "IntegerArray",
) -> None:
    side = store.game.side_to_move(image.state)
    for begin in range(0, len(numbers), BATCH):
        games = store.brief(numbers[begin : begin + BATCH])
        ranked = store.ranked(games)
        plies = store.replayer.first_plies(ranked, image.key).tolist()
        first = 0
        for one, ply, end in zip(games, plies, ranked.ends.tolist(), strict=True):
            if ply >= 0:
                move = moves.get(int(ranked.ranks[first + ply]) if first + ply < end else END)
                result = one.headers[0]
                counts.games[move] += 1
                counts.wins[move] += result == 1 + side
                counts.losses[move] += result == 2 - side
                counts.draws[move] += result == DRAWN
                if len(mistakes) and mistakes[one.number]:
                    counts.mistakes.setdefault(move, []).append(int(mistakes[one.number]))
            first = end


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


@attrs.frozen(kw_only=True)
class OpeningMove:
    """A move with which opening lines of the game go on."""

    move: Move
    """The move."""
    lines: int
    """Number of lines that reach the position after it, of all sets."""
    names: tuple[str, ...]
    """Names of the openings that the move completes."""


class OpeningLines:
    """The lines of all sets of a game by the positions that they reach; empty for a game without sets."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._lines: dict[State, set[tuple[str, int]]] = {}
        """The lines that reach a position, as (set, index in the set)."""
        self._names: dict[State, list[str]] = {}
        """Names of the openings that end in a position."""
        children: dict[tuple[State, int], tuple[State, State]] = {}  # lines share most of their moves
        for line, opening in self._openings():
            state = image = opening.start
            for move in opening.moves:
                if (state, move) not in children:
                    child = game.play(state, move)
                    children[state, move] = child, self._image(child)
                state, image = children[state, move]
                self._lines.setdefault(image, set()).add(line)
            if opening.moves:
                self._names.setdefault(image, []).append(opening.name)

    def _openings(self) -> Iterator[tuple[tuple[str, int], Opening]]:
        openings = self._game.openings
        for name in () if openings is None else openings.names:
            assert openings is not None
            for i, opening in enumerate(openings.get(name)):
                yield (name, i), opening

    def _image(self, state: State) -> State:
        """Return the image that stands for a state and all its images."""
        symmetries = self._game.symmetries
        if symmetries is None:
            return state
        return min(symmetries.state_image(state, i) for i in range(symmetries.count))

    def names(self, position: Position) -> tuple[str, ...]:
        """Return the names of the openings that end in this position; those in words come before those in moves."""
        found = dict.fromkeys(self._names.get(self._image(position.state), ()))
        return tuple(sorted(found, key=lambda name: (not name[:1].isalpha(), name)))

    def reached(self, position: Position) -> tuple[str, ...]:
        """Return the names of the opening that the game which led to this position completed last; () if there is none.

        Names in words, such as Old Faithful, come before names in moves, even if those are of a later position.
        """
        last: tuple[str, ...] = ()
        here: Position | None = position
        while here is not None:
            names = self.names(here)
            if names and names[0][:1].isalpha():
                return names
            last = last or names
            here = here.parent
        return last

    def moves(self, position: Position) -> list[OpeningMove]:
        """Return the legal moves that reach a position of a line, those of most lines first."""
        found = []
        for move in position.legal_moves:
            child = position.after(move.code)
            lines = len(self._lines.get(self._image(child.state), ()))
            if lines:
                found.append(OpeningMove(move=move, lines=lines, names=self.names(child)))
        return sorted(found, key=lambda one: -one.lines)
