"""State of a training by self-play, and its conversion to and from checkpoints."""

import copy
from typing import Any, Literal

import attrs
import numpy as np
from gameforge_examples.folder import Rows, row_type
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState
from gameforge_learn_regress.matches import Pairs

Floats = NDArray[np.float32]


@attrs.define(eq=False)
class SelfplayState:
    """All that changes in the course of a training."""

    initial: Floats
    best: Floats | None = None
    """The last accepted weights; None: the teacher still plays."""
    candidate: Floats | None = None
    """Weights that the present generation has fitted; None before its fit."""
    accepted: list[tuple[int, Floats]] = attrs.field(factory=list)
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
    figures: dict[str, Any] = attrs.field(factory=dict)
    """Figures of the present generation, as Progress.numbers has them."""
    calibration: dict[str, Any] = attrs.field(factory=dict)
    """Calibration of the last fit (fitting.py)."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        arrays: dict[str, NDArray[Any]] = {"initial": self.initial}
        arrays |= {name: w for name in ("best", "candidate") if (w := getattr(self, name)) is not None}
        arrays |= {f"accepted {generation}": weights for generation, weights in self.accepted}
        for i, pieces in enumerate(self.windows):
            if pieces:
                pieces[:] = [np.concatenate(pieces)]
                arrays[f"window {i}"] = pieces[0]
        names = ("generation", "played", "decided", "measured", "figures", "calibration")
        values = {name: copy.copy(getattr(self, name)) for name in names}
        for name, pairs in (("gate", self.gate), ("yardstick", self.yardstick)):
            values |= {name: pairs.points.copy(), f"{name}_keys": pairs.keys.copy()}
        values |= {"accepted": [generation for generation, _ in self.accepted], "windows": len(self.windows)}
        return LearnerState(arrays={name: array.copy() for name, array in arrays.items()}, values=values)

    @classmethod
    def restored(cls, saved: LearnerState, weights: int, words: int) -> "SelfplayState":
        """The state of a snapshot; GameforgeError if it does not match this evaluator and game."""
        shape = (weights,)
        try:
            best, candidate = (
                saved.floats(name, shape) if name in saved.arrays else None for name in ("best", "candidate")
            )
            return cls(
                saved.floats("initial", shape),
                best,
                candidate,
                accepted=[(n, saved.floats(f"accepted {n}", shape)) for n in saved.value("accepted", list[int])],
                windows=_windows(saved, words),
                decided=saved.value("decided", bool),
                figures=saved.value("figures", dict[str, bool | int | float]),
                calibration=saved.value("calibration", dict[str, list[int | float]]),
                generation=saved.count("generation"),
                played=saved.count("played"),
                measured=saved.count("measured"),
                gate=_pairs(saved, "gate"),
                yardstick=_pairs(saved, "yardstick"),
            )
        except ValueError as error:
            raise GameforgeError(f"learner selfplay: the checkpoint does not match this training: {error}") from error


def _pairs(saved: LearnerState, name: str) -> Pairs:
    """The pairs of a match; ValueError if they are missing or damaged."""
    points, keys = saved.value(name, list[Literal[0, 1, 2, 3, 4]]), f"{name}_keys"
    if keys not in saved.values:  # an earlier version kept only the points; its games count as distinct
        return Pairs(points, list(range(2 * len(points))))
    found = Pairs(points, saved.value(keys, list[int]))
    if len(found.keys) != 2 * len(points):
        raise ValueError(f"{keys}: got {len(found.keys)} for {len(points)} pairs of games")
    return found


def _windows(saved: LearnerState, words: int) -> list[list[Rows]]:
    """The positions of the generations; ValueError if they are not those of a game with states of this size."""
    number = saved.count("windows")
    names = [f"window {i}" for i in range(number)]
    found = {name: rows for name, rows in saved.arrays.items() if name.startswith("window ")}
    if number == 0 or not found.keys() <= set(names):
        raise ValueError(f"windows = {number}: does not match the arrays 'window ...' in the checkpoint")
    for rows in found.values():
        if rows.dtype != row_type(words, exact=True) or rows.ndim != 1 or not np.isfinite(rows["utility"]).all():
            raise ValueError("its positions are not those of this game")
    return [[found[name]] if name in found else [] for name in names]
