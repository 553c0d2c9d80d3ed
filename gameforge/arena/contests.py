"""Games that learners hand out as pieces of work: contests, matches that follow them, and how long a game takes.

A player of a contest is sent as its differences from the pipeline's player; each piece of work builds the players that
it needs. Results come back in the order in which the work was handed out.

The games of a training's match come in pairs with the same random opening. A learner may end such a match after any
pair, and resume it from a checkpoint.
"""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.arena.elo import Pentanomial, elo_figures, independent
from gameforge.arena.match import game_of_pair
from gameforge.arena.openings import random_opening
from gameforge.arena.played import DistinctGames, game_key, repeats_text
from gameforge.arena.workspace import AT_ONCE, GameThreads, Workspace, shares_calls
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.features import Selectable
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.learner import Site, Work
from gameforge.kernel import slots
from gameforge.kernel.parallel import derived, results_of, stream, words_of_game
from gameforge.play.game import Position
from gameforge.play.parts import Parts
from gameforge.play.perft import playouts
from gameforge.play.player import Player, limit_names, limited

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_GAMES_PER_PIECE = 10
_RANDOM_GAMES = 64
_LEAST_SEARCHES = 2
_STOP_SECONDS = 0.1


@attrs.frozen(eq=False, kw_only=True)
class Contender:
    """A player, given by its differences from the pipeline's player."""

    weights: "NDArray[np.float32] | None" = None
    """Weights of its evaluator; None: the evaluator has none."""
    features: tuple[str, ...] | None = None
    """Names of the pipeline's features that it uses (gameforge.interfaces.features.Selectable); None: all."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Changed parameters, by keys such as `searcher.depth`."""
    searcher: Spec | None = None
    """Another searcher; None: the pipeline's."""
    evaluator: Spec | None = None
    """Another evaluator, without weights to train; None: the pipeline's."""

    def parts(self, site: Site) -> Parts:
        """Build its parts.

        Raises GameforgeError if it chooses features, but the pipeline's feature map offers no choice, and if its
        evaluator has weights to train.
        """
        parts = site.parts_with(self.settings) if self.settings else site.parts
        if self.searcher is not None:
            parts = parts.with_searcher(site.create("searcher", self.searcher))
        if self.evaluator is not None:
            parts = parts.with_evaluator(site.create("evaluator", self.evaluator))
            if parts.vector is not None:
                raise GameforgeError(f"{self.evaluator.use} has weights to train; choose an evaluator without")
        if self.features is None:
            return parts
        if not isinstance(parts.features, Selectable):
            raise GameforgeError(f"{type(parts.features).__name__} offers no choice of features")
        return parts.with_features(parts.features.selected(self.features))

    def seconds_per_game(self, site: Site, seed: int, seconds: float) -> float:
        """Return the seconds per game of one worker, for a player with these settings and weights against itself.

        The measurement takes about `seconds`.

        If no game finishes in time, the result is the time per move, of two moves or more, times the length of random
        games.
        """
        from gameforge.kernel.compile.clock import SECOND

        parts = site.parts_with(self.settings)
        parts.count = None  # how often it evaluates depends on the time
        player = Player(parts, self.weights)
        workspace = Workspace(player, player)
        start = Opening("", player.game.rules.initial())
        games = 0
        with _time_limit(site, workspace, seconds) as clocks:
            began = ended = time.perf_counter()
            while ended - began <= seconds:
                played = workspace.play(start, False, (seed + 2 * games, seed + 2 * games + 1))
                site.check()
                if not played.finished:  # interrupted
                    break
                games, ended = games + 1, time.perf_counter()
                if games == 1:  # kernels are ready now
                    began = ended
        if games > 1:
            return (ended - began) / (games - 1)
        plies = playouts(Position(player.game, start.start), _RANDOM_GAMES, seed=seed).plies / _RANDOM_GAMES
        nanoseconds, searches = clocks
        return nanoseconds / SECOND / searches * plies


def contests(
    work: Work,
    contenders: Sequence[Contender],
    pairings: Sequence[tuple[int, int]],
    seed: "np.random.SeedSequence",
    *,
    openings: Sequence[Opening] | None = None,
    done: int = 0,
    games_per_piece: int = _GAMES_PER_PIECE,
) -> Generator[GameRecord, None, None]:
    """Play one game for each pairing; yield their records in order, from number `done` on.

    openings: one for each pairing; with None all games begin at the initial position. games_per_piece: number of games
    in a piece of work; AT_ONCE or more with a batch evaluator. A game depends only on its contenders, its opening, the
    seed and its number. A player that crashes or answers with an illegal move loses. The records name neither phase nor
    players. Closing the generator ends the games that are being played.
    """
    words = stream(seed)
    pieces = []
    if work.site.parts.scores_batches:  # the games of a piece share its calls
        games_per_piece = max(games_per_piece, AT_ONCE)
    if work.site.parts.count is not None:  # a learner may write a checkpoint after each game
        games_per_piece = 1
    for begin in range(done, len(pairings), games_per_piece):
        these = pairings[begin : begin + games_per_piece]
        place = {who: i for i, who in enumerate(dict.fromkeys(who for pair in these for who in pair))}
        lines = None if openings is None else openings[begin : begin + games_per_piece]
        pairs = [(place[first], place[second]) for first, second in these]
        pieces.append(([contenders[who] for who in place], pairs, lines, words, begin))
    with contextlib.closing(work.in_order(_play, pieces)) as played:
        for games in played:
            yield from games


def _play(
    site: Site,
    contenders: Sequence[Contender],
    pairs: Sequence[tuple[int, int]],
    openings: Sequence[Opening] | None,
    words: int,
    number: int,
) -> list[GameRecord]:
    """Play the games of one piece of work, which are numbered from `number` on."""
    rules = site.parts.game.rules
    players = [Player(one.parts(site), one.weights) for one in contenders]
    lines = [Opening("", rules.initial())] * len(pairs) if openings is None else openings
    games = [
        (opening, words_of_game(words, number + i), pair)
        for i, (opening, pair) in enumerate(zip(lines, pairs, strict=True))
    ]
    if shares_calls(players):
        return _at_once(site, players, games)
    workspace = Workspace(*players)
    return [_stoppable(site, workspace, *game) for game in games]


def _at_once(
    site: Site, players: Sequence[Player], games: Sequence[tuple[Opening, tuple[int, int], tuple[int, int]]]
) -> list[GameRecord]:
    """Play games at once, which share the calls of a batch evaluator; they end early if the work does."""

    def play(opening: Opening, seeds: tuple[int, int], pair: tuple[int, int], workspace: Workspace) -> GameRecord:
        return workspace.play(opening, False, seeds, pair)

    with contextlib.closing(GameThreads(players, len(games))) as threads:
        playing = [threads.submit(i, functools.partial(play, *game)) for i, game in enumerate(games)]
        return results_of(playing, site.check)


def _stoppable(
    site: Site, workspace: Workspace, opening: Opening, seeds: tuple[int, int], pair: tuple[int, int]
) -> GameRecord:
    """Play one game, ending it early if the work's result is no longer needed."""
    import numpy as np

    from gameforge.kernel.compile.launch import interruptible

    def check() -> None:
        try:
            site.check()
        except BaseException:
            workspace.stop()
            raise

    check()
    played: GameRecord = interruptible(
        np.zeros(slots.CONTROLS, np.int64), workspace.play, opening, False, seeds, pair, check=check
    )
    return played


_OPENINGS, _GAMES = range(2)
"""Purposes of random numbers."""
_PAIRS_A_JOB = 5


NODES = 2000
"""Nodes of a search in these matches, unless the pipeline or the training says otherwise."""


@attrs.define
class Pairs:
    """The pairs of a match, as far as they have been played."""

    points: list[int] = attrs.field(factory=list)
    """Points of the first player in each pair, 0 to 4."""
    keys: list[int] = attrs.field(factory=list)
    """The games by their keys (`game_key`), two for each pair; the first player has the first side in the first."""

    @staticmethod
    def searcher(site: Site, chosen: Spec | None) -> Spec | None:
        """Return the chosen searcher, or else the pipeline's with a limit of nodes; None: the pipeline's as it is.

        At equal depth the player with the larger trees would have an advantage. A limit of nodes replaces all others.
        The pipeline's searcher stays as it is if it limits its nodes already, or cannot limit them.
        """
        if chosen is not None:
            return chosen
        settings: Mapping[str, object] = site.settings["searcher"]
        if "nodes" in settings or "nodes" not in limit_names(type(site.parts.searcher)):
            return None
        spec = Spec.from_settings(settings, "searcher")
        return Spec(spec.use, limited(spec.params, {"nodes": NODES}))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def counts(self) -> Pentanomial:
        """The pairs counted by their points."""
        of = self.points.count
        return of(0), of(1), of(2), of(3), of(4)

    @property
    def distinct(self) -> DistinctGames:
        """The distinct games."""
        return DistinctGames(self.keys)

    def elo_figures(self, name: str) -> dict[str, float]:
        """Score and Elo difference (`elo_figures`); the deviation is that of the distinct games."""
        return elo_figures(name, independent(self.counts, self.distinct.pairs))

    def repeats_text(self, players: tuple[str, str]) -> str:
        """A sentence that warns of repeated games; empty if half of the games or more are distinct."""
        return repeats_text(players, self.distinct.games, len(self.keys))

    def play(
        self,
        work: Work,
        players: tuple[Contender, Contender],
        names: tuple[str, str],
        *,
        pairs: range,
        plies: int,
        seed: "np.random.SeedSequence",
        game_finished: Callable[[GameRecord], None],
    ) -> Generator[None, None, None]:
        """Play pairs of a match, and add them one by one; yield after each, so that the caller may end the match.

        pairs: their numbers; those of a match that is resumed do not begin with 0. plies: random moves at the beginning
        of each pair. seed: the source of the openings and of the players' random numbers. game_finished is called for
        the games of a pair before the yield.

        A pair depends on the players, the seed and its number alone. Pairs are played in rounds that keep the workers
        busy.
        """
        import numpy as np

        game = work.site.parts.game
        openings = [
            random_opening(game, plies, np.random.default_rng(derived(seed, _OPENINGS, pair)))
            for pair in range(pairs.stop)
        ]
        a_round = _PAIRS_A_JOB * work.workers
        if work.site.parts.count is not None:  # the learner may write a checkpoint after each pair
            a_round = 1
        done = pairs.start
        while done < pairs.stop:
            end = min(pairs.stop, done + a_round)
            found = contests(
                work,
                players,
                [(0, 1), (1, 0)] * end,
                derived(seed, _GAMES),
                openings=[opening for opening in openings[:end] for _ in range(2)],
                done=2 * done,
                games_per_piece=2 * _PAIRS_A_JOB,
            )
            played = list(found)
            for pair in range(done, end):
                points, keys = 0, [0, 0]
                for swapped in (False, True):
                    one = game_of_pair(game, played[2 * (pair - done) + swapped], names, pair, swapped)
                    points += one.outcome.points(swapped)
                    keys[swapped] = game_key(one)
                    game_finished(one)
                self.points.append(points)
                self.keys += keys
                yield
            done = end


@contextlib.contextmanager
def _time_limit(site: Site, workspace: Workspace, seconds: float) -> Iterator[list[int]]:
    """Stop the workspace after this many seconds of searching and two finished searches, or if the work is cancelled.

    Yields [nanoseconds of the searches that finished in the last game by then, their number].
    """
    over = threading.Event()
    found = [0, 1]

    def watch() -> None:
        began = 0.0
        while not over.wait(_STOP_SECONDS):
            clocks = workspace.game.clocks.tolist()
            searches = sum(clocks[slots.SEARCHES : slots.PROCESSOR_TIME])
            began = began or (time.perf_counter() if searches else 0.0)
            try:
                site.check()
            except BaseException:
                workspace.stop()
            if searches >= _LEAST_SEARCHES and time.perf_counter() - began > seconds:
                found[:] = sum(clocks[slots.SEARCH_TIME : slots.SEARCHES]), searches
                workspace.stop()
                return

    watcher = threading.Thread(target=watch, name="gameforge-watch", daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
