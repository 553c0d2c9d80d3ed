"""Games between players of one pipeline as pieces of work: the tournaments of learners.

Players are sent as what they differ in from the pipeline's; each piece builds the tables of those that play in it.
"""

import contextlib
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import Selectable
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.learner import Site, Work
from gameforge.kernel.seeds import stream, words_of_game
from gameforge.play.arena.workspace import Workspace
from gameforge.play.parts import Parts
from gameforge.play.player import Player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pairing = tuple[int, int]
"""Places of the contenders that have the first and the second side."""
_GAMES_A_JOB = 10


@attrs.frozen(eq=False, kw_only=True)
class Contender:
    """The pipeline's player, but for what is given."""

    weights: "NDArray[np.float32] | None" = None
    features: tuple[str, ...] | None = None
    """Names of those that it has of the pipeline's features (gameforge.interfaces.features.Selectable)."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Other parameters, by keys as `searcher.depth`."""

    def parts(self, site: Site) -> Parts:
        """Its parts; GameforgeError if the pipeline's features are not to be chosen from."""
        parts = site.parts_with(self.settings) if self.settings else site.parts
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
    a_job: int = _GAMES_A_JOB,
) -> Generator[GameRecord, None, None]:
    """The games of pairings in their order, from number `done` on.

    openings: one for each pairing; None: all begin at the initial position. a_job: games of a piece of work.
    A game depends on its contenders, its opening, the seed and its number alone. A player that crashes or
    answers an illegal move has lost. The records name neither phase nor players. Close the generator to end
    the games that are being played.
    """
    words = stream(seed)
    pieces = []
    for begin in range(done, len(pairings), a_job):
        these = pairings[begin : begin + a_job]
        place = {who: i for i, who in enumerate(dict.fromkeys(who for pair in these for who in pair))}
        lines = None if openings is None else openings[begin : begin + a_job]
        pairs = [(place[first], place[second]) for first, second in these]
        pieces.append(([contenders[who] for who in place], pairs, lines, words, begin))
    finished: dict[int, list[GameRecord]] = {}
    following = 0
    with contextlib.closing(work.each(_play, pieces)) as played:
        for i, games in played:
            finished[i] = games
            while following in finished:
                yield from finished.pop(following)
                following += 1


def _play(
    site: Site,
    contenders: Sequence[Contender],
    pairs: Sequence[Pairing],
    openings: Sequence[Opening] | None,
    words: int,
    number: int,
) -> list[GameRecord]:
    """A piece of work: games from number `number` on."""
    rules = site.parts.game.rules
    workspace = Workspace(*(Player(one.parts(site), one.weights) for one in contenders))
    lines = [Opening("", rules.initial())] * len(pairs) if openings is None else openings
    return [
        _stoppable(site, workspace, opening, words_of_game(words, number + i), pair)
        for i, (opening, pair) in enumerate(zip(lines, pairs, strict=True))
    ]


def _stoppable(site: Site, workspace: Workspace, opening: Opening, seeds: tuple[int, int], pair: Pairing) -> GameRecord:
    """A game that ends when nobody waits for it any more."""
    import numpy as np

    from gameforge.kernel.compile.launch import interruptible
    from gameforge.kernel.context import CONTROLS

    def check() -> None:
        try:
            site.check()
        except BaseException:
            workspace.stop()
            raise

    check()
    played: GameRecord = interruptible(
        np.zeros(CONTROLS, np.int64), workspace.play, opening, False, seeds, pair, check=check
    )
    return played
