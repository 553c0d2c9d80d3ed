"""State of a training by self-play, and its conversion to and from checkpoints."""

import attrs
import numpy as np
from gameforge_examples.folder import Rows, row_type

from gameforge import Pairs
from gameforge.interfaces import LearnerState
from gameforge.kernel import FloatArray
from gameforge.storage import checkpoint


@attrs.frozen(kw_only=True)
class _Saved:
    """A training as a checkpoint holds it."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    best: FloatArray | None = attrs.field(metadata=checkpoint.kept("weights"))
    candidate: FloatArray | None = attrs.field(metadata=checkpoint.kept("weights"))
    accepted: list[int]
    players: dict[int, FloatArray] = attrs.field(metadata=checkpoint.kept("weights", name="accepted"))
    """Weights of the accepted players, by their generations."""
    windows: int
    rows: dict[int, Rows] = attrs.field(metadata=checkpoint.kept(name="window"))
    """Positions of the windows that have some."""
    generation: int
    played: int
    decided: bool
    measured: int
    figures: dict[str, bool | int | float]
    calibration: dict[str, list[int | float]]
    gate: list[int]
    gate_keys: list[int] | None
    yardstick: list[int]
    yardstick_keys: list[int] | None


@attrs.define(eq=False)
class SelfplayState:
    """All that changes in the course of a training."""

    initial: FloatArray
    best: FloatArray | None = None
    """The last accepted weights; None: the teacher still plays."""
    candidate: FloatArray | None = None
    """Weights that the present generation has fitted; None before its fit."""
    accepted: list[tuple[int, FloatArray]] = attrs.field(factory=list)
    """Generation and weights of all accepted players."""
    windows: list[list[Rows]] = attrs.field(factory=lambda: [[]])
    """Positions of the last generations in pieces, the present one's last."""
    generation: int = 0
    """Number of generations that are over."""
    played: int = 0
    """Number of games of self-play in the present generation."""
    gate: Pairs = attrs.field(factory=Pairs)
    """The gate's games; the candidate is the first player."""
    decided: bool = False
    """Whether the gate is over."""
    yardstick: Pairs = attrs.field(factory=Pairs)
    """The games of the best player, the first one, against the yardstick."""
    measured: int = 0
    """Number of these pairs that the present generation has played."""
    figures: dict[str, bool | int | float] = attrs.field(factory=dict)
    """Figures of the present generation, as Progress.numbers has them."""
    calibration: dict[str, list[int | float]] = attrs.field(factory=dict)
    """Calibration of the last fit (fitting.py)."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        for pieces in self.windows:
            if pieces:
                pieces[:] = [np.concatenate(pieces)]
        return checkpoint.pack(
            _Saved(
                initial=self.initial,
                best=self.best,
                candidate=self.candidate,
                accepted=[generation for generation, _ in self.accepted],
                players=dict(self.accepted),
                windows=len(self.windows),
                rows={i: pieces[0] for i, pieces in enumerate(self.windows) if pieces},
                generation=self.generation,
                played=self.played,
                decided=self.decided,
                measured=self.measured,
                figures=self.figures,
                calibration=self.calibration,
                gate=self.gate.points,
                gate_keys=self.gate.keys,
                yardstick=self.yardstick.points,
                yardstick_keys=self.yardstick.keys,
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, weights: int, words: int) -> "SelfplayState":
        """The state of a snapshot; GameforgeError if it does not match this evaluator and game."""
        mismatch = "learner selfplay: the checkpoint does not match this training"
        found = checkpoint.unpack(_Saved, state, mismatch, weights=weights)
        with checkpoint.matching(mismatch):
            if sorted(found.accepted) != sorted(found.players):
                raise ValueError("the accepted generations are not those whose weights it holds")
            return cls(
                found.initial,
                found.best,
                found.candidate,
                accepted=[(generation, found.players[generation]) for generation in found.accepted],
                windows=_windows(found, words),
                generation=found.generation,
                played=found.played,
                gate=_pairs("gate", found.gate, found.gate_keys),
                decided=found.decided,
                yardstick=_pairs("yardstick", found.yardstick, found.yardstick_keys),
                measured=found.measured,
                figures=found.figures,
                calibration=found.calibration,
            )


def _pairs(name: str, points: list[int], keys: list[int] | None) -> Pairs:
    """The pairs of a match; ValueError if there are not two games to each, or if they have no such points."""
    if not set(points) <= set(range(5)):
        raise ValueError(f"{name}: the points of a pair of games are from 0 to 4")
    if keys is None:  # an earlier version kept only the points; its games count as distinct
        keys = list(range(2 * len(points)))
    if len(keys) != 2 * len(points):
        raise ValueError(f"{name}_keys: got {len(keys)} for {len(points)} pairs of games")
    return Pairs(list(points), keys)


def _windows(found: _Saved, words: int) -> list[list[Rows]]:
    """The positions of the generations; ValueError if they are not those of a game with states of this size."""
    if found.windows == 0 or not found.rows.keys() <= set(range(found.windows)):
        raise ValueError(f"windows = {found.windows}: does not match the arrays 'window ...' in the checkpoint")
    for rows in found.rows.values():
        if rows.dtype != row_type(words, exact=True) or not np.isfinite(rows["utility"]).all():
            raise ValueError("its positions are not those of this game")
    return [[found.rows[i]] if i in found.rows else [] for i in range(found.windows)]
