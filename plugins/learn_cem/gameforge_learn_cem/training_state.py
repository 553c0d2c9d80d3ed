"""State of a search, and its conversion to and from checkpoints."""

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

_DRAW = -1


@attrs.frozen
class KeptGame:
    """A game in the form that a checkpoint keeps; iteration and index give the rest of its record."""

    code: int
    """Final code, for the side to move after the last move (gameforge.interfaces.outcome.outcome_of)."""
    moves: tuple[int, ...]
    """All moves, including those of the opening."""
    winner: int | None

    @classmethod
    def of(cls, game: GameRecord, rules: Rules) -> "KeptGame":
        to_move = (rules.side_to_move(game.start) + len(game.moves)) % 2
        return cls(code_of(rules, game.outcome, to_move), game.moves, game.outcome.winner)

    def record(self, rules: Rules, opening: Opening, **about: Any) -> GameRecord:
        """The record of the game; `about`: phase, number, players and whatever else a GameRecord has."""
        outcome = outcome_of(rules, self.code, (rules.side_to_move(opening.start) + len(self.moves)) % 2)
        assert outcome is not None
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
        winners = [_DRAW if game.winner is None else game.winner for game in self.games]
        return LearnerState(
            arrays={
                "codes": np.array([game.code for game in self.games], np.int64),
                "winners": np.array(winners, np.int64),
                "lengths": np.array([len(game.moves) for game in self.games], np.int64),
                "moves": np.array([move for game in self.games for move in game.moves], np.uint64),
            },
            values={"iteration": self.iteration, "laws": [[law.mean, law.deviation] for law in self.laws]},
        )

    @classmethod
    def restored(cls, saved: LearnerState, first: Sequence[Distribution]) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if it has another number of parameters."""
        try:
            laws = [
                attrs.evolve(law, mean=mean, deviation=deviation)
                for law, (mean, deviation) in zip(first, saved.value("laws", list[tuple[float, float]]), strict=True)
            ]
            codes, winners, lengths, moves = (
                saved.arrays[name].tolist() for name in ("codes", "winners", "lengths", "moves")
            )
            ends: list[int] = np.cumsum(lengths, dtype=np.int64).tolist()
            rows: Any = zip(codes, winners, lengths, ends, strict=True)
            games = [
                KeptGame(code, tuple(moves[end - length : end]), None if winner == _DRAW else winner)
                for code, winner, length, end in rows
            ]
            return cls(laws, saved.value("iteration", int), games)
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(f"learner cem: the checkpoint does not match these parameters: {error}") from error
