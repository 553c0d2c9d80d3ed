"""State of a search, its distributions and games, and its conversion to and from checkpoints."""

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import GameRecord, LearnerState, Opening, Rules, code_of, outcome_of

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
        return attrs.evolve(self, mean=mean, deviation=deviation)

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
    """A game in the form that a checkpoint keeps; iteration and index give the rest of its record."""

    code: int
    """Final code, for the side to move after the last move (gameforge.interfaces.rules.outcome_of)."""
    moves: tuple[int, ...]
    """All moves, including those of the opening."""

    @classmethod
    def of(cls, game: GameRecord, rules: Rules) -> "KeptGame":
        to_move = (rules.side_to_move(game.start) + len(game.moves)) % 2
        return cls(code_of(rules, game.outcome, to_move), game.moves)

    def record(self, rules: Rules, opening: Opening, **about: Any) -> GameRecord:
        """The record of the game; `about`: phase, number, players and whatever else a GameRecord has.

        Raises GameforgeError if the code is not that of a finished game, as in a damaged checkpoint.
        """
        outcome = outcome_of(rules, self.code, (rules.side_to_move(opening.start) + len(self.moves)) % 2)
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
        return LearnerState(
            arrays={
                "codes": np.array([game.code for game in self.games], np.int64),
                "lengths": np.array([len(game.moves) for game in self.games], np.int64),
                "moves": np.array([move for game in self.games for move in game.moves], np.uint64),
            },
            values={"iteration": self.iteration, "laws": [[law.mean, law.deviation] for law in self.laws]},
        )

    @classmethod
    def restored(cls, saved: LearnerState, first: Sequence[Distribution]) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if it has another number of parameters."""
        try:
            known = saved.value("laws", list[tuple[float, float]])
            laws = [law.moved(*law_now) for law, law_now in zip(first, known, strict=True)]
            codes, lengths, moves = map(saved.integers, ("codes", "lengths", "moves"))
            if min(lengths, default=0) < 0 or sum(lengths) != len(moves):
                raise ValueError("the lengths of its games are not those of their moves")
            ends = itertools.accumulate(lengths)
            games = [
                KeptGame(code, tuple(moves[end - length : end]))
                for code, length, end in zip(codes, lengths, ends, strict=True)
            ]
            return cls(laws, saved.count("iteration"), games)
        except ValueError as error:
            raise GameforgeError(f"learner cem: the checkpoint does not match these parameters: {error}") from error
