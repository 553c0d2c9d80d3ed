"""The yardstick of a run: a fixed opponent that the player in training meets every few sessions, and at the end.

The matches are not part of the training. They have random numbers of their own, all use the same openings, and their
games are not kept; so the trained weights are the same with any yardstick, or with none.

As text, a yardstick is a player, an evaluator, or `none`.
"""

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from gameforge.arena import MatchResult, match
from gameforge.arena.contests import Contender
from gameforge.arena.elo import elo_figures
from gameforge.arena.match import check_match
from gameforge.arena.openings import OPENING_PLIES, match_openings, usual_plies
from gameforge.config import NONE, Spec, kinds
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Learner, MeasuresItself, PlansGames, Progress, Site
from gameforge.kernel.parallel import stream
from gameforge.play.display import duration_text
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop
from gameforge.storage.stored import read_as

MOST_GIVEN = 1_000_000
"""Largest number of games of a match that can be given, and of sessions between two measurements."""
SHARE = 0.05
"""Games of the curve, and again of the final match, as a share of the training games; within the limits below."""
_LEAST, _MOST = 20, 100
"""Limits of the games of one match."""
_POINTS = 10
"""Largest number of points of the curve, and their number if the learner does not know how many games it plays."""
_PURPOSE = 0x79617264
"""Key of the yardstick's random numbers, which no learner uses."""


def _spec(evaluator: Spec | str | None) -> Spec | None:
    return Spec.parse(evaluator) if isinstance(evaluator, str) else evaluator


@attrs.frozen(kw_only=True)
class Yardstick:
    """Which opponent measures a run, how often, and in how many games.

    What is None follows from the length of the training: the matches of the curve take about 5 % of its games, and so
    does the final match, but no match has fewer than 20 games, nor, unless `games` is given, more than 100.
    """

    opponent: Player | None = attrs.field(default=None, eq=False)
    """None: the player of the run with the evaluator `evaluator`."""
    evaluator: Spec | None = attrs.field(default=None, converter=_spec)
    """An evaluator without weights to train, such as "material"; None: the one that the learner or the game names."""
    every: int | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.count(1, MOST_GIVEN)))
    """Number of sessions between two measurements."""
    games: int | None = attrs.field(
        default=None, validator=attrs.validators.optional([kinds.count(2, MOST_GIVEN), kinds.even])
    )
    """Games of each match, played in pairs."""

    def __attrs_post_init__(self) -> None:
        if self.opponent is not None and self.evaluator is not None:
            raise GameforgeError("yardstick: must be either an opponent or an evaluator, not both")

    def settings(self) -> dict[str, Json]:
        """The settings, as `kept_yardstick` reads them."""
        evaluator = None if self.evaluator is None else str(self.evaluator)
        has_opponent = self.opponent is not None
        return {"opponent": has_opponent, "evaluator": evaluator, "every": self.every, "games": self.games}


DEFAULT_YARDSTICK = Yardstick()
"""The opponent that the game names."""


@attrs.frozen
class _Stored:
    """A yardstick as run.json describes it."""

    opponent: bool
    """Whether the run's folder holds the opponent."""
    evaluator: str | None
    every: int | None
    games: int | None


@attrs.frozen
class Strength:
    """The strength of a trained player: the match against the yardstick at the end of its run."""

    result: MatchResult
    """The match; the trained player is the first."""
    measured: int
    """Number of games of all measurements of the run."""
    seconds: float
    """Time of all measurements, since the run was last resumed."""
    share: float
    """The same, as a share of the time of the run."""

    def numbers(self) -> Mapping[str, Json]:
        return self.result.numbers

    def __str__(self) -> str:
        one = self.result
        return (
            f"strength: {one.elo_text} against {one.players[1]}, {one.wins} won, {one.draws} drawn, {one.losses} lost; "
            f"{one.distinct} distinct of {len(one.games)} games"
        )

    @property
    def cost(self) -> str:
        """What all measurements took."""
        return f"{self.measured} games, {duration_text(self.seconds)}, {self.share:.0%} of the run"


class Measurement:
    """The measurements of one run."""

    def __init__(
        self,
        yardstick: Yardstick,
        opponent: Player,
        learner: Learner,
        seed: int,
        workers: int,
        check: Callable[[], None],
    ) -> None:
        """Raises GameforgeError if the opponent plays another game, or if the game is too short for openings."""
        import numpy as np

        self._yardstick, self._opponent = yardstick, opponent
        self._games = learner.training_games if isinstance(learner, PlansGames) else 0
        self._measures_itself = isinstance(learner, MeasuresItself) and learner.yardstick_games > 0
        self._seed = stream(np.random.SeedSequence(seed, spawn_key=(_PURPOSE,))) >> 1
        self._workers, self._check = workers, check
        self._began, self._seconds, self._measured = time.perf_counter(), 0.0, 0
        self._warned = False
        match_openings(opponent.game, OPENING_PLIES, 1, self._seed)

    def figures(
        self, progress: Progress, player: Callable[[], Player], notice: Callable[[str], None]
    ) -> dict[str, float]:
        """Return the figures `yardstick_...` of a session; none if it is not measured, or its learner measures itself.

        player: makes the player with the weights of the session. notice: called with a warning about the first match in
        which fewer than half of the games are distinct.
        """
        points = max(1, min(_POINTS, int(SHARE * self._games) // _LEAST)) if self._games else _POINTS
        every = self._yardstick.every or math.ceil(progress.sessions / points)
        if self._measures_itself or progress.session % every:
            return {}
        result = self._match(player(), self._yardstick.games or _match_games(SHARE * self._games / points))
        if result.repeats and not self._warned:
            notice(f"session {progress.session}: {result.repeats_text}")
            self._warned = True
        return {**elo_figures("yardstick", result.independent_pairs), "yardstick_distinct": result.distinct}

    def strength(self, player: Player) -> Strength:
        games = self._yardstick.games or (_match_games(SHARE * self._games) if self._games else _MOST)
        result = self._match(player, games)
        since = time.perf_counter() - self._began
        return Strength(result, self._measured, self._seconds, self._seconds / max(since, 1e-9))

    def _match(self, player: Player, games: int) -> MatchResult:
        check_match(player, self._opponent, games)
        began = time.perf_counter()
        result = match(player, self._opponent, games, seed=self._seed, workers=self._workers, check=self._check)
        self._seconds += time.perf_counter() - began
        self._measured += games
        return result


def measurement_of(
    yardstick: Yardstick | None, site: Site, learner: Learner, seed: int, workers: int, check: Callable[[], None]
) -> Measurement | None:
    """The measurements of a run; None without a yardstick, and if neither the learner nor the game names one.

    Raises GameforgeError for an opponent that cannot play this game, or an evaluator that has weights to train.
    """
    opponent = None if yardstick is None else opponent_of(yardstick, site, learner)
    if yardstick is None or opponent is None:
        return None
    return Measurement(yardstick, opponent, learner, seed, workers, check)


def kept_yardstick(settings: object, folder: Path, workshop: Workshop) -> Yardstick | None:
    """The yardstick of a run that is resumed, from its settings and the folder of its opponent.

    None if the settings are: the run has no yardstick. Raises GameforgeError if one of them is missing or damaged.
    """
    if settings is None:
        return None
    stored = read_as(_Stored, settings)
    opponent = workshop.load(folder) if stored.opponent else None
    return Yardstick(opponent=opponent, evaluator=stored.evaluator, every=stored.every, games=stored.games)


def _match_games(games: float) -> int:
    """Return about this number of games: even, and within the limits of a match."""
    return max(_LEAST, min(_MOST, int(games))) // 2 * 2


def opponent_of(yardstick: Yardstick, site: Site, learner: Learner) -> Player | None:
    """The opponent of a run; None if none is given, and neither the learner nor the game names one.

    Raises GameforgeError for an evaluator that is unknown, ambiguous or has weights to train.
    """
    if yardstick.opponent is not None:
        return yardstick.opponent
    named = learner.yardstick if isinstance(learner, MeasuresItself) else None
    spec = yardstick.evaluator or named or (site.default_evaluator() if usual_plies(site.parts.game) else None)
    if spec is None:
        return None
    try:
        parts = Contender(evaluator=spec).parts(site)
    except GameforgeError as error:
        raise GameforgeError(f"yardstick {spec}: {error.message}") from error
    settings = {**site.settings, "evaluator": spec.settings()}
    return Player(parts, None, f"{spec} with the same search", settings)


def yardstick_from_text(
    text: str | None,
    pipeline: Pipeline,
    *,
    games: int | None = None,
    every: int | None = None,
    workshop: Workshop | None = None,
) -> Yardstick | None:
    """Return the yardstick of a run of this pipeline; None if the text is `none`.

    text: a player as for `Workshop.plan`, or an evaluator, which gets the pipeline's search; None: that of the game.
    games, every: as in Yardstick; `none` needs neither. workshop: builds the player. Raises
    GameforgeError for an unknown player, and for one of another game.
    """
    if text == NONE:
        return None
    opponent, evaluator = None, None
    game = pipeline.game
    name = (text or "").partition(":")[0]
    if text is not None and " + " not in text and pipeline.registry.has("evaluator", name, game.rules.name):
        evaluator = Spec.parse(text)
    elif text is not None:
        opponent = (workshop or Workshop(pipeline.registry)).player(text, game)
    return Yardstick(opponent=opponent, evaluator=evaluator, games=games, every=every)
