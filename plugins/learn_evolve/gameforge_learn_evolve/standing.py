"""Where an evolution stands, and the whole of it as what a checkpoint keeps."""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge.play.arena.contests import Contender
from gameforge_learn_evolve.genome import Floats, Genome

DRAW, LOOP = 2, 3
"""Results beside 0 and 1, the sides that won; LOOP is a draw of the kind that the game counts as a loop."""


@attrs.frozen(eq=False)
class Individual:
    """Somebody, with the points of his latest tournament."""

    number: int
    """Counts from 1 in the order in which they were drawn or born."""
    genome: Genome
    points: int = 0

    @property
    def name(self) -> str:
        return f"individual {self.number}"

    @property
    def contender(self) -> Contender:
        """Him at the board."""
        return Contender(weights=self.genome.weights)


@attrs.define
class Standing:
    """All that changes in the course of an evolution."""

    parents: list[Individual] = attrs.field(factory=list)
    generation: int = 0
    """Those that are over."""
    results: list[int] = attrs.field(factory=list)
    """Of this generation's games so far, or of the species' leagues."""
    games: int = 0
    """So far, in all."""
    first_best: Floats | None = None
    """Weights of the best of the first parents."""

    def state(self) -> LearnerState:
        """A copy, for a checkpoint."""
        values = attrs.asdict(self, filter=attrs.filters.exclude("parents", "first_best")) | {
            "parents": [(one.number, one.points) for one in self.parents]
        }
        arrays = {
            "weights": np.array([one.genome.weights for one in self.parents]),
            "steps": np.array([one.genome.steps for one in self.parents]),
        }
        if self.first_best is not None:
            arrays["first best"] = self.first_best
        return LearnerState(arrays=arrays, values=values)

    @classmethod
    def of(cls, saved: LearnerState, weights: int) -> "Standing":
        """What state() gave; GameforgeError if it is none of individuals with so many weights."""
        values = dict(saved.values)
        try:
            numbers = values.pop("parents")
            genomes = [_rows(saved.arrays, name, (len(numbers), weights)) for name in ("weights", "steps")]
            parents = [
                Individual(int(number), Genome(*genome), int(points))
                for (number, points), *genome in zip(numbers, *genomes, strict=True)
            ]
            return cls(parents, first_best=saved.arrays.get("first best"), **values)
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(
                f"learner evolve: what was saved of it is not a training of this evaluator: {error}"
            ) from error


def _rows(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, int]) -> Floats:
    array = np.array(arrays[name], np.float32)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
    return array
