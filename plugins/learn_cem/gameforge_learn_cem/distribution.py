"""Distributions from which samples are drawn, and their steps towards the best samples."""

import math
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

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
