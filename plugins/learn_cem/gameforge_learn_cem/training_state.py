"""State of a search, and its conversion to and from checkpoints."""

import itertools
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.learner import LearnerState
from gameforge.interfaces.outcome import code_of, outcome_of
from gameforge.interfaces.rules import Rules
from gameforge_learn_cem.distribution import Distribution


@attrs.frozen
class KeptGame:
    """A game in the form that a checkpoint keeps; iteration and index give the rest of its record."""

    code: int
    """Final code, for the side to move after the last move (gameforge.interfaces.outcome.outcome_of)."""
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
