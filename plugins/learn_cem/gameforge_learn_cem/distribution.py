"""Where samples are drawn from, and how that follows the best of them."""

import math
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

Law = Literal["gaussian", "uniform"]


@attrs.frozen
class Distribution:
    """A gaussian that is cut to a range, or a uniform distribution in it.

    Of a gaussian, mean and deviation are those before it is cut; of a uniform one the deviation is half the width.
    """

    law: Law
    low: float
    high: float
    mean: float
    deviation: float

    @classmethod
    def over(cls, law: Law, low: float, high: float) -> "Distribution":
        """The first: around the middle of a range, as wide as the range to both sides."""
        return cls(law, low, high, (low + high) / 2, (high - low) / 2)

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
        """A step of this length, in [0, 1], to the distribution that has the elite's mean and standard deviation."""
        spread = float(elite.std()) * (math.sqrt(3) if self.law == "uniform" else 1)
        mean = smoothing * float(elite.mean()) + (1 - smoothing) * self.mean
        return attrs.evolve(
            self,
            mean=min(max(mean, self.low), self.high),  # against rounding
            deviation=smoothing * spread + (1 - smoothing) * self.deviation,
        )
