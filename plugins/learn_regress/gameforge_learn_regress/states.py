"""Positions as the kernels of a fit read them, and the loss of one."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import Words

_ONE, _LEAST = np.float32(1), np.float32(1e-7)


class States(NamedTuple):
    """Positions as states."""

    words: np.uint64
    states: Words
    """[N * words]."""
    targets: NDArray[np.float32]
    """[N]: the expected result that (score + 1) / 2 should be, 0 to 1."""
    importance: NDArray[np.float32]
    """[N]: how many positions each stands for."""


@inline
def cross_entropy(p: Any, y: Any) -> Any:
    """Loss of the prediction p where the truth is y."""
    p = min(max(p, _LEAST), _ONE - _LEAST)
    return -(y * np.log(p) + (_ONE - y) * np.log(_ONE - p))
