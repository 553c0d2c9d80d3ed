"""Adam [Kingma2015], for a loss with an L2 penalty."""

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.compile.jit import kernel

Floats = NDArray[np.float32]
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, np.float32(1e-8)


@attrs.define(eq=False)
class Moments:
    """What Adam keeps between steps."""

    mean: Floats
    square: Floats
    steps: int = 0

    @classmethod
    def of(cls, weights: int) -> "Moments":
        """Before the first step."""
        return cls(np.zeros(weights, np.float32), np.zeros(weights, np.float32))

    def rates(self, rate: float) -> tuple[np.float32, np.float32]:
        """(rate over the bias of the mean, 1 / bias of the square) for the next step."""
        self.steps += 1
        biases = 1 - _BETA1**self.steps, 1 - _BETA2**self.steps
        return np.float32(rate / biases[0]), np.float32(1 / biases[1])


@kernel
def step(
    w: Floats,
    mean: Floats,
    square: Floats,
    gradients: NDArray[np.float32],
    share: np.float32,
    penalty: np.float32,
    rate: np.float32,
    unbias: np.float32,
    first: np.uint64,
    end: np.uint64,
) -> None:
    """One step of weights first to end.

    gradients[shards, weights] are added up in the order of the shards, multiplied by share, and set to 0. The penalty
    is penalty / 2 times the sum of the squares of the weights.
    """
    b1, b2 = np.float32(_BETA1), np.float32(_BETA2)
    c1, c2 = np.float32(1 - _BETA1), np.float32(1 - _BETA2)
    for shard in range(1, len(gradients)):
        for j in range(first, end):
            gradients[0, j] += gradients[shard, j]
            gradients[shard, j] = 0
    for j in range(first, end):
        g = gradients[0, j] * share + penalty * w[j]
        gradients[0, j] = 0
        m = b1 * mean[j] + c1 * g
        v = b2 * square[j] + c2 * g * g
        mean[j], square[j] = m, v
        w[j] -= rate * m / (np.sqrt(v * unbias) + _EPSILON)
