"""What was played in a position: its moves with their numbers of games and their results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from gameforge.interfaces.rules import State
from gameforge.play.columns import Tabular
from gameforge.play.game import Move, Position
from gameforge.records.finding import Image, images
from gameforge.records.index import END, Sighting
from gameforge.records.rows import DRAWN
from gameforge.records.store import BATCH, Store

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
