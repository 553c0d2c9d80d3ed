"""Contests: games between players of one pipeline, which learners hand out as pieces of work.

A player is sent as its differences from the pipeline's player; each piece of work builds the players that it needs.
Results come back in the order in which the work was handed out (`each_in_order`, also for other work).
"""

import contextlib
import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from gameforge.arena.threads import AT_ONCE, GameThreads, shares_calls
from gameforge.arena.workspace import Workspace
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.features import Selectable
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.learner import Site, Work
from gameforge.kernel import slots
from gameforge.kernel.parallel import stream, words_of_game
from gameforge.play.parts import Parts
from gameforge.play.player import Player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Pairing = tuple[int, int]
"""Indices of the contenders that play the first and the second side."""
_GAMES_PER_PIECE = 10
_WATCH_SECONDS = 0.2
"""Seconds between two looks whether the result of the work is still needed."""


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


def contests(
    work: Work,
    contenders: Sequence[Contender],
    pairings: Sequence[Pairing],
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
    with contextlib.closing(each_in_order(work, _play, pieces)) as played:
        for games in played:
            yield from games


def _play(
    site: Site,
    contenders: Sequence[Contender],
    pairs: Sequence[Pairing],
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
    site: Site, players: Sequence[Player], games: Sequence[tuple[Opening, tuple[int, int], Pairing]]
) -> list[GameRecord]:
    """Play games at once, which share the calls of a batch evaluator; they end early if the work does."""

    def play(opening: Opening, seeds: tuple[int, int], pair: Pairing, workspace: Workspace) -> GameRecord:
        return workspace.play(opening, False, seeds, pair)

    with contextlib.closing(GameThreads(players, len(games))) as threads:
        playing = [threads.submit(i, functools.partial(play, *game)) for i, game in enumerate(games)]
        for future in playing:
            while not future.done():
                site.check()
                wait([future], _WATCH_SECONDS)
        return [future.result() for future in playing]


def _stoppable(site: Site, workspace: Workspace, opening: Opening, seeds: tuple[int, int], pair: Pairing) -> GameRecord:
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


Result = TypeVar("Result")


def each_in_order(
    work: Work, function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]
) -> Generator[Result, None, None]:
    """Yield function(site, *arguments[i]) in the order of i, each as soon as all before it have finished.

    Errors, and what closing the generator does, are those of `Work.each`.
    """
    early: dict[int, Result] = {}
    following = 0
    with contextlib.closing(work.each(function, arguments)) as finished:
        for i, result in finished:
            early[i] = result
            while following in early:
                yield early.pop(following)
                following += 1
