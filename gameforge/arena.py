"""Matches: two players, openings in pairs with colours swapped, honest counts."""

import math
import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import attrs

from gameforge.errors import GameforgeError
from gameforge.game import Game, Position, outcome_of, same_rules
from gameforge.learning import GameRecord
from gameforge.players import Player
from gameforge.rules import State

if TYPE_CHECKING:
    import numpy as np

    from gameforge.kernel.context import PlayerTable
    from gameforge.kernel.game import GameTable

OPENING_PLIES = 4
_ATTEMPTS = 1000
"""Random games that are tried for one opening."""


@attrs.frozen
class MatchResult:
    """A match, from the side of the player named first."""

    players: tuple[str, str]
    games: tuple[GameRecord, ...]
    """In pairs: the same opening twice, the first player taking the first side in the first of the two."""

    def _points(self) -> list[int]:
        """Points of the first player in each game: 2, 1 or 0."""
        return [game.outcome.points(i % 2) for i, game in enumerate(self.games)]

    @property
    def wins(self) -> int:
        return self._points().count(2)

    @property
    def draws(self) -> int:
        return self._points().count(1)

    @property
    def losses(self) -> int:
        return self._points().count(0)

    @property
    def loops(self) -> int:
        """Draws by a reason that the game counts as a loop."""
        return sum(game.outcome.loop for game in self.games)

    @property
    def distinct(self) -> int:
        """Number of different games (opening and moves)."""
        return len({(game.start, game.moves) for game in self.games})

    @property
    def score(self) -> float:
        """Share of the points, in [0, 1]."""
        return sum(self._points()) / (2 * len(self.games))

    @property
    def elo(self) -> float:
        """Elo difference that the score stands for; infinite at 0 and 1."""
        return _elo(self.score)

    @property
    def elo_error(self) -> float:
        """Half of the 95 % interval of `elo`, from the spread of the pairs (pentanomial).

        The two games of a pair share an opening and are not independent; pairs are.
        """
        points = self._points()
        pairs = [(points[i] + points[i + 1]) / 4 for i in range(0, len(points), 2)]
        mean = sum(pairs) / len(pairs)
        if len(pairs) < 2 or not 0 < mean < 1:
            return math.inf
        variance = sum((pair - mean) ** 2 for pair in pairs) / (len(pairs) - 1)
        spread = 1.96 * math.sqrt(variance / len(pairs))
        return (_elo(mean + spread) - _elo(mean - spread)) / 2

    def __str__(self) -> str:
        elo = f"Elo {self.elo:+.0f} +- {self.elo_error:.0f}" if math.isfinite(self.elo) else "Elo unbounded"
        return (
            f"{self.players[0]} - {self.players[1]}: {self.wins} won, {self.draws} drawn "
            f"({self.loops} loops), {self.losses} lost; {elo}; {self.distinct} distinct of {len(self.games)} games"
        )


def _elo(score: float) -> float:
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def random_opening(game: Game, plies: int, rng: "np.random.Generator") -> State:
    """The state after random moves from the initial position, never a finished game.

    Raises GameforgeError if games do not last so long.
    """
    for _ in range(_ATTEMPTS):
        state = game.rules.initial()
        for _ in range(plies):
            legal = game.legal(state)
            if game.code(state, len(legal)):
                break
            state = game.play(state, legal[int(rng.integers(len(legal)))])
        else:
            if not game.code(state, len(game.legal(state))):
                return state
    raise GameforgeError(
        f"openings = {plies}: {_ATTEMPTS} random games of {game.rules.name} were over by then; take fewer plies"
    )


def _starts(game: Game, openings: int | Sequence[State | Position], pairs: int, seed: int) -> list[State]:
    """One state for each pair of games."""
    import numpy as np

    if isinstance(openings, int):
        if openings < 0:
            raise GameforgeError(f"openings = {openings}: must be a number of random plies, 0 or more, or positions")
        return [
            random_opening(game, openings, np.random.default_rng(child))
            for child in np.random.SeedSequence(seed).spawn(pairs)
        ]
    states = [opening.state if isinstance(opening, Position) else opening for opening in openings]
    if not states or any(not isinstance(state, tuple) or len(state) != game.kernel.words for state in states):
        raise GameforgeError(
            f"openings = {openings!r}: must be a number of random plies or positions of {game.rules.name}, one or more"
        )
    for state in states:
        if game.code(state, len(game.legal(state))):
            raise GameforgeError(f"openings: the game is over in {game.position_text(state)}")
    return [states[i % len(states)] for i in range(pairs)]


class Table:
    """Where one thread plays: workspace for a game and for both players."""

    def __init__(self, first: Player, second: Player) -> None:
        from gameforge.kernel.tables import game_table

        self.rules = first.game.rules
        self.game: GameTable = game_table(first.game.table, first.game.rules.draws)
        self.players: tuple[PlayerTable, PlayerTable] = (
            first.parts.table(self.game, first.weights),
            second.parts.table(self.game, second.weights),
        )

    def stop(self) -> None:
        """End the game that another thread plays here, at once and without a result."""
        from gameforge.kernel.context import STOP

        for player in self.players:
            player.context.control[STOP] = 1

    def play(self, start: State, swapped: bool) -> tuple[int, tuple[int, ...]]:
        """(final code, moves) of one game; swapped: the second player takes the first side."""
        import numpy as np

        from gameforge.kernel.game import play_game
        from gameforge.kernel.tables import check

        second_begins = swapped != bool(self.rules.side_to_move(start))
        movers = self.players[::-1] if second_begins else self.players
        code = int(play_game(self.game, *movers, np.array(start, np.uint64)))
        check(*self.players)
        return code, tuple(self.game.played[: self.game.counters[0]].tolist())


def match(
    first: Player,
    second: Player,
    games: int = 20,
    *,
    openings: int | Sequence[State | Position] = OPENING_PLIES,
    seed: int = 0,
    workers: int = 1,
    game_finished: Callable[[GameRecord], None] = lambda game: None,
) -> MatchResult:
    """Play a match; the result does not depend on `workers`.

    games: even, each opening is played twice with colours swapped. openings: a number of random
    plies drawn from the seed, or positions, used in turn. Raises GameforgeError for players of
    different games and for openings in which the game is over.
    """
    if games < 2 or games % 2:
        raise GameforgeError(f"games = {games}: must be even and 2 or more, openings are played in pairs")
    if workers < 1:
        raise GameforgeError(f"workers = {workers}: must be 1 or more")
    if not same_rules(first.game.rules, second.game.rules):
        raise GameforgeError(
            f"match: {first.name} plays {first.game.rules}, {second.name} plays {second.game.rules}; "
            "both must play the same game by the same rules"
        )
    game = first.game
    pairs = games // 2
    starts = _starts(game, openings, pairs, seed)
    tables = [Table(first, second) for _ in range(min(workers, pairs))]
    free: queue.SimpleQueue[Table] = queue.SimpleQueue()
    for table in tables:
        free.put(table)

    def play_pair(start: State) -> list[tuple[int, tuple[int, ...]]]:
        table = free.get()
        try:
            return [table.play(start, swapped) for swapped in (False, True)]
        finally:
            free.put(table)

    names = (first.name, second.name)
    records: list[GameRecord] = []
    pool = ThreadPoolExecutor(len(tables), thread_name_prefix="gameforge-match")
    try:
        for start, pair in zip(starts, pool.map(play_pair, starts), strict=True):
            for swapped, (code, moves) in enumerate(pair):
                to_move = (game.rules.side_to_move(start) + len(moves)) % 2
                outcome = outcome_of(game.rules, code, to_move)
                assert outcome is not None
                record = GameRecord(
                    phase="match",
                    number=len(records) + 1,
                    players=names[::-1] if swapped else names,
                    start=start,
                    moves=moves,
                    outcome=outcome,
                )
                records.append(record)
                game_finished(record)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for table in tables:
            table.stop()
        raise
    finally:
        pool.shutdown(wait=True)
    return MatchResult(names, tuple(records))
