"""iRprop: resilient backpropagation with an individual step size for each weight ([Igel2000])."""

from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rule = Literal["irprop-", "irprop+"]
RULES: tuple[Rule, ...] = ("irprop-", "irprop+")


@attrs.frozen(kw_only=True)
class Steps:
    """Parameters of the step sizes."""

    rule: Rule = "irprop-"
    increase: float = 1.2
    decrease: float = 0.5
    first: float = 0.1
    least: float = 0.0
    most: float = 50.0


class Irprop:
    """Minimises an error by its gradients; use one instance per optimisation.

    Let p be the product of a weight's slope and its previous slope. If p > 0, the step becomes longer. If p < 0, it
    becomes shorter, the weight does not move, and its slope counts as 0 next time. Otherwise the weight moves a step
    against its slope. `irprop+` also reverts the previous move if p < 0 and the error has grown.
    """

    def __init__(self, steps: Steps, shape: tuple[int, ...]) -> None:
        self._steps = steps
        self._length = np.full(shape, steps.first, np.float32)
        self._slopes = np.zeros(shape, np.float32)
        self._moves = np.zeros(shape, np.float32)
        self._errors: Any = np.inf

    def move(self, weights: Floats, slopes: Floats, errors: Any) -> None:
        """Change the weights. `errors`: the error with these slopes; one per weight if each has its own."""
        steps, turned = self._steps, slopes * self._slopes
        grown = np.minimum(self._length * np.float32(steps.increase), np.float32(steps.most))
        shrunk = np.maximum(self._length * np.float32(steps.decrease), np.float32(steps.least))
        self._length = np.where(turned > 0, grown, np.where(turned < 0, shrunk, self._length))
        slopes = np.where(turned < 0, np.float32(0), slopes)
        if steps.rule == "irprop+":
            weights -= np.where((turned < 0) & (errors > self._errors), self._moves, np.float32(0))
        self._moves = -np.sign(slopes) * self._length
        weights += self._moves
        self._slopes, self._errors = slopes, errors
