"""The feature map `bits`, which fits any game and knows nothing about any."""

from typing import Any

import numpy as np

from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules

_BITS = 64
_1 = np.uint64(1)


def features(fd: Any, s: Any, x: Any) -> None:
    """Write every bit of the state as 0 or 1; fd[0] is the number of words."""
    for word in range(fd[0]):
        for bit in range(_BITS):
            x[_BITS * word + bit] = (s[word] >> np.uint64(bit)) & _1


class Bits:
    """An input for each bit of each word of the state, counters included."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        words = rules.functions().words
        return FeatureFunctions(
            inputs=_BITS * words,
            viewpoint="to move",
            features=features,
            data=np.array([words], np.uint64),
            names=tuple(f"word {word} bit {bit}" for word in range(words) for bit in range(_BITS)),
        )
