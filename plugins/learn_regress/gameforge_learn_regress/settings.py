"""Parameters of the learners: a fit, a fit to folders of examples, generations of self-play.

`require_openings` checks before the first game whether the random plies leave games to play.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np
from gameforge_examples.positions import GameSettings, openings_of

from gameforge import GameforgeError, Parts, Sprt
from gameforge.interfaces import Spec, kinds

MOST_WINDOWS = 1000
"""Generations whose positions can be fitted together."""
_error = kinds.positive(0.499)


@attrs.frozen(kw_only=True)
class FitSettings:
    """How an evaluator is fitted: cross-entropy, by Adam with weight decay, until the validation loss stops falling."""

    blend: float = attrs.field(default=0.5, validator=kinds.between(0, 1))
    """What a position should score: blend * the result of its game + (1 - blend) * the score of its search."""
    calibrate: bool = True
    """Scale the scores of each player that made the examples, as log-odds, so that they predict the results of its
    games best."""
    validation: float = attrs.field(default=0.1, validator=kinds.positive(0.99))
    """Share of the games whose positions are kept from training."""
    epochs: int = attrs.field(default=30, validator=kinds.count(1, 100_000))
    """Maximum number of passes over the positions."""
    patience: int = attrs.field(default=3, validator=kinds.count(1, 100_000))
    """Epochs without a lower validation loss that end the fit; the weights with the lowest are kept."""
    batch: int = attrs.field(default=4096, validator=kinds.count(1, 1 << 24))
    """Number of positions in a step; fewer if an epoch would have fewer than 50 steps, but 32 or more."""
    rate: float = attrs.field(default=0.01, validator=kinds.positive(100))
    """Learning rate of the first epoch."""
    decay: float = attrs.field(default=0.85, validator=kinds.positive(1))
    """Factor of the learning rate from one epoch to the next."""
    weight_decay: float = attrs.field(default=60.0, validator=kinds.not_negative)
    """Penalty: half of this times the sum of the squared weights is added to the loss of all positions."""


def _folders(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _given(instance: object, attribute: "attrs.Attribute[Any]", value: Path | tuple[Path, ...]) -> None:
    if value == ():
        raise GameforgeError(f"'{attribute.name}' must be a folder, or a list of at least one (got {value!r})")


@attrs.frozen(kw_only=True)
class RegressSettings(FitSettings):
    """A fit to examples that lie in folders."""

    examples: Path | tuple[Path, ...] = attrs.field(converter=_folders, validator=_given)
    """Folder of examples, or a list of folders."""
    merged: bool = True
    """Make one position of equal states, with the mean of what is known of them."""
    images: bool = False
    """Add the images of all positions under the symmetries of the game."""

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.examples,) if isinstance(self.examples, Path) else self.examples


@attrs.frozen(kw_only=True)
class GateSettings:
    """The match that a candidate must win against the last accepted player: an SPRT of two Elo differences."""

    games: int = attrs.field(default=600, validator=[kinds.count(2, 1_000_000), kinds.even])
    """Maximum number of games, played in pairs. A candidate that the test accepts in none of them is rejected."""
    elo0: float = attrs.field(default=0.0, validator=kinds.between(-1000, 1000))
    """Elo difference of the hypothesis H0; a candidate is rejected if the test accepts it."""
    elo1: float = attrs.field(default=25.0, validator=kinds.between(-1000, 1000))
    """Elo difference of the hypothesis H1; a candidate is accepted if the test accepts it."""
    alpha: float = attrs.field(default=0.05, validator=_error)
    """Probability that a candidate that is elo0 better is accepted."""
    beta: float = attrs.field(default=0.05, validator=_error)
    """Probability that a candidate that is elo1 better is rejected."""

    @property
    def pairs(self) -> int:
        return self.games // 2

    @property
    def sprt(self) -> Sprt:
        return Sprt(self.elo0, self.elo1, alpha=self.alpha, beta=self.beta)

    def __attrs_post_init__(self) -> None:
        """Raise GameforgeError if even winning every game could not decide the test."""
        if (found := self.sprt.accepted((0, 0, 0, 0, self.pairs))) != "H1":
            raise GameforgeError(
                f"the gate cannot accept a candidate: even if it wins all {self.games} games, the test of "
                f"{self.elo0:g} against {self.elo1:g} Elo {'rejects it' if found else 'stays undecided'}; allow more "
                "games or move the limits apart"
            )


@attrs.frozen(kw_only=True)
class FurtherGames:
    """Further games of a generation, which the same evaluator plays with another searcher.

    Many games of a fast search with random moves show the fit positions that good moves never lead to. Games that begin
    with few pieces, and an oracle that knows more of them than the player will, teach it endings.
    """

    games: int = attrs.field(validator=kinds.count(1, 10_000_000))
    """Games in a generation."""
    searcher: Spec
    """Searcher of these games, such as alphabeta:depth=1,memory=1."""
    oracle: Spec | None = None
    """Oracle of these games, such as chinook:pieces=6; None: those of the pipeline."""
    play: GameSettings = GameSettings()
    """How these games go."""


class Kind(NamedTuple):
    """Games of a generation, by their numbers, that are played in the same way."""

    first: int
    end: int
    searcher: Spec | None
    """None: the pipeline's."""
    play: GameSettings
    oracle: Spec | None = None
    """None: those of the pipeline."""


@attrs.frozen(kw_only=True)
class Stage:
    """Successive generations with the same kind of games, the same fit and the same gate."""

    generations: int = attrs.field(default=10, validator=kinds.count(1, 100_000))
    """Number of generations, each of self-play, a fit and a gate."""
    games: int = attrs.field(default=4000, validator=kinds.count(2, 10_000_000))
    """Games of self-play in a generation."""
    searcher: Spec | None = None
    """Searcher of these games, such as alphabeta:depth=8,selective=true; None: the pipeline's."""
    play: GameSettings = GameSettings()
    """How these games go."""
    further: FurtherGames | None = None
    """Further games of a generation, with another searcher; None: none."""
    window: int = attrs.field(default=3, validator=kinds.count(1, MOST_WINDOWS))
    """Number of generations whose positions are fitted: the present one and those before it, of this stage unless
    `earlier` is set."""
    earlier: bool = False
    """Fit positions of the stages before as well, as far as the window reaches."""
    fit: FitSettings = FitSettings()
    """How the evaluator is fitted."""
    tune: bool = False
    """Begin the fit with the weights of the best player, and penalise differences from these. A few good positions can
    so correct what many others have taught. False: begin with the evaluator's initial weights."""
    gate: GateSettings = GateSettings()
    """The sequential test that a candidate must pass to become the best player."""
    last: "Stage | None" = None
    """A further stage, which continues from the best player with its own settings; None: none.

    A training from scratch needs the results of its games; once its player is good, scores of its search teach more.
    """

    @property
    def games_of_generation(self) -> int:
        """Games of self-play in a generation, of both kinds."""
        return self.games + (0 if self.further is None else self.further.games)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The games of a generation: those of the stage's searcher, then the further ones."""
        own, more = Kind(0, self.games, self.searcher, self.play), self.further
        if more is None:
            return (own,)
        return own, Kind(self.games, self.games_of_generation, more.searcher, more.play, more.oracle)


@attrs.frozen(kw_only=True)
class SelfplaySettings(Stage):
    """Generations of self-play, fit and gate, in one stage or several."""

    match_searcher: Spec | None = None
    """Searcher of both players in the gate and against the yardstick, such as alphabeta:nodes=5000; None: the
    pipeline's, limited to 2,000 nodes if it can limit nodes and does not already."""
    opening_plies: int = attrs.field(default=8, validator=kinds.count(0, 1000))
    """Number of random moves at the beginning of the matches of the gate and against the yardstick."""
    teacher: Spec | None = None
    """Evaluator that plays until a candidate beats it; None: the game's yardstick, if it names one, else the
    pipeline's untrained evaluator, with half of the moves at random."""
    yardstick: Spec | None = None
    """Evaluator of the opponent that measures every generation; None: the game's yardstick, if it names one."""
    yardstick_games: int = attrs.field(default=200, validator=[kinds.count(0, 1_000_000), kinds.even])
    """Games against the yardstick in a generation, played in pairs."""

    @property
    def training_games(self) -> int:
        """Games of self-play of a whole training; matches come on top."""
        return self.games_before(self.total_generations)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages, in their order."""
        found: list[Stage] = [self]
        while found[-1].last is not None:
            found.append(found[-1].last)
        return tuple(found)

    @property
    def total_generations(self) -> int:
        """Generations of all stages."""
        return sum(stage.generations for stage in self.stages)

    def stage(self, generation: int) -> Stage:
        """The stage of a generation, counted from 0."""
        for stage in self.stages:
            if generation < stage.generations:
                return stage
            generation -= stage.generations
        return self.stages[-1]

    def begins_stage(self, generation: int) -> bool:
        """Whether this generation, counted from 0, is the first of its stage."""
        return generation in itertools.accumulate((stage.generations for stage in self.stages), initial=0)

    def games_before(self, generation: int) -> int:
        """Games of self-play in the generations before this one, counted from 0."""
        games = 0
        for stage in self.stages:
            here = generation if stage.last is None else min(generation, stage.generations)
            games += here * stage.games_of_generation
            generation -= here
        return games


_GAMES, _LEAST = 100, 3
"""Number of random games that are tried, and number of them that must last long enough. That is enough for a training,
whose games draw up to 1,000 openings each."""


def require_openings(settings: SelfplaySettings, parts: Parts) -> None:
    """Raise GameforgeError for unknown sets of openings, and if random games are too short for the random plies.

    That is checked for the games of each stage and for the matches. It is also an error if all moves of a stage are
    random. Errors about random moves name the parameter.
    """
    for name, play in _plays(settings):
        if play.random_moves == 1:
            raise GameforgeError(f"{name}.random_moves = 1: no move would be searched; choose less than 1")
        openings_of(parts, play)
    choice = 1 if parts.oracles.size else 2  # positions with one move are kept only if an oracle knows them
    for name, play in _plays(settings):  # the initial position is not kept
        _require(f"{name}.random_plies", play.random_plies, parts, max(play.random_plies, 1), choice)
    _require("learner.opening_plies", settings.opening_plies, parts, settings.opening_plies, 1)


def _plays(settings: SelfplaySettings) -> Iterator[tuple[str, GameSettings]]:
    """How the games of each stage go, by the name of the parameter."""
    for number, stage in enumerate(settings.stages):
        where = "learner" + number * ".last"
        yield f"{where}.play", stage.play
        if stage.further is not None:
            yield f"{where}.further.play", stage.further.play


def _require(name: str, plies: int, parts: Parts, first: int, moves: int) -> None:
    """Raise GameforgeError for the parameter `name` unless enough random games last long enough.

    They do if they reach a position with at least `moves` legal moves after `first` plies or later.
    """
    rng, lasting = np.random.default_rng(0), 0
    for _ in range(_GAMES):
        positions = itertools.islice(parts.game.random_game(rng), first, parts.game.rules.draws.max_plies)
        lasting += any(len(legal) >= moves for _, legal in positions)
        if lasting == _LEAST:
            return
    what = "last longer than" if moves == 1 else "offer a choice of moves after"
    raise GameforgeError(
        f"{name} = {plies}: of {_GAMES} random games of {parts.game.rules.name}, fewer than {_LEAST} {what} {plies} "
        "plies; choose fewer plies"
    )
