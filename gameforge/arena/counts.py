"""What is counted of the games of a match, one after the other; none of them is kept.

Every figure of a match follows from these counts (gameforge.arena.result), so that a match of any length needs
little memory.
"""

import math
from collections.abc import Iterable
from typing import Self

import attrs

from gameforge.arena.elo import Pentanomial
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import DISPUTED_REASON, FORFEIT_REASONS


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
