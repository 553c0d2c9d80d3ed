"""The state of a search: the distributions of its parameters, and the games of the iteration that is being played.

`TrainingState` is what changes in the course of a training; `snapshot` packs it for a checkpoint.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import GameRecord, LearnerState, Opening, Outcome, Rules
from gameforge.kernel import IntegerArray, WordArray
from gameforge.storage import checkpoint

Law = Literal["gaussian", "uniform"]


@attrs.frozen
class Distribution:
    """A truncated Gaussian, or a uniform distribution within the range.

    Mean and deviation of a Gaussian are those before truncation; the deviation of a uniform one is half its width.
    """

    law: Law
    low: float
    high: float
    mean: float
    deviation: float

    @classmethod
    def over(cls, law: Law, low: float, high: float) -> "Distribution":
        """The initial distribution: its mean is the middle of the range, its deviation half the width."""
        return cls(law, low, high, (low + high) / 2, (high - low) / 2)

    def moved(self, mean: float, deviation: float) -> "Distribution":
        """The distribution with another mean and deviation; ValueError if the mean is outside the range."""
        if not (self.low <= mean <= self.high and 0 <= deviation <= self.high - self.low):
            raise ValueError(
                f"mean {mean:g} and deviation {deviation:g} are not those of a range {self.low:g}..{self.high:g}"
            )
        return attrs.evolve(self, mean=mean, deviation=abs(deviation))  # NumPy takes -0.0 for negative

    def draw(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Independent values within the range."""
        if self.law == "uniform":
            ends = max(self.low, self.mean - self.deviation), min(self.high, self.mean + self.deviation)
            return rng.uniform(*ends, number)
        found = np.empty(0)
        while len(found) < number:  # the mean lies in the range, which is twice the deviation wide or wider
            more = rng.normal(self.mean, self.deviation, 2 * number)
            found = np.append(found, more[(self.low <= more) & (more <= self.high)])
        return found[:number]

    def towards(self, elite: NDArray[np.float64], smoothing: float) -> "Distribution":
        """The distribution after a step, of length 0 to 1, towards the elite's mean and standard deviation."""
        spread = float(elite.std()) * (math.sqrt(3) if self.law == "uniform" else 1)
        mean = smoothing * float(elite.mean()) + (1 - smoothing) * self.mean
        return attrs.evolve(
            self,
            mean=min(max(mean, self.low), self.high),  # against rounding
            deviation=smoothing * spread + (1 - smoothing) * self.deviation,
        )


@attrs.frozen
class KeptGame:
    """A game as a checkpoint keeps it; what the learner knows gives the rest of its record."""

    code: int
    """Final code, for the side to move after the last move (`Outcome.of`)."""
    moves: tuple[int, ...]
    """All moves, including those of the opening."""

    @classmethod
    def of(cls, game: GameRecord, rules: Rules) -> "KeptGame":
        """The short form of a game."""
        to_move = (rules.side_to_move(game.start) + len(game.codes)) % 2
        return cls(game.outcome.code(rules, to_move), game.codes)

    def record(self, rules: Rules, opening: Opening, **about: Any) -> GameRecord:
        """The record of the game; `about`: phase, number, players and whatever else a GameRecord has.

        Raises GameforgeError if the code is not that of a finished game, as in a damaged checkpoint.
        """
        outcome = Outcome.of(rules, self.code, (rules.side_to_move(opening.start) + len(self.moves)) % 2)
        if outcome is None:
            raise GameforgeError(f"code {self.code} is not that of a finished game")
        return GameRecord(
            start=opening.start,
            moves=self.moves,
            outcome=outcome,
            opening=opening.name,
            opening_plies=len(opening.moves),
            **about,
        )


@attrs.frozen
class _Saved:
    """A search as a checkpoint holds it."""

    iteration: int
    laws: list[tuple[float, float]]
    """Mean and deviation of each parameter."""
    codes: IntegerArray
    """Final code of each game."""
    lengths: IntegerArray
    """Number of moves of each game."""
    moves: WordArray
    """The moves of all games."""


@attrs.define
class TrainingState:
    """Everything that changes during a search."""

    laws: list[Distribution]
    """One distribution per parameter."""
    iteration: int = 0
    """Finished iterations."""
    games: list[KeptGame] = attrs.field(factory=list)
    """Finished games of the current iteration, in their order."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        return checkpoint.pack(
            _Saved(
                iteration=self.iteration,
                laws=[(law.mean, law.deviation) for law in self.laws],
                codes=np.array([game.code for game in self.games], np.int64),
                lengths=np.array([len(game.moves) for game in self.games], np.int64),
                moves=np.array([move for game in self.games for move in game.moves], np.uint64),
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, first: Sequence[Distribution]) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if it has another number of parameters."""
        mismatch = "learner cem: the checkpoint does not match these parameters"
        found = checkpoint.unpack(_Saved, state, mismatch)
        with checkpoint.matching(mismatch):
            laws = [law.moved(*law_now) for law, law_now in zip(first, found.laws, strict=True)]
            lengths, moves = found.lengths.tolist(), found.moves.tolist()
            if min(lengths, default=0) < 0 or sum(lengths) != len(moves):
                raise ValueError("the lengths of its games are not those of their moves")
            ends = itertools.accumulate(lengths)
            games = [
                KeptGame(code, tuple(moves[end - length : end]))
                for code, length, end in zip(found.codes.tolist(), lengths, ends, strict=True)
            ]
            return cls(laws, found.iteration, games)
