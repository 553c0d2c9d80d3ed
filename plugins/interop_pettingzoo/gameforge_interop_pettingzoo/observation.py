"""What an agent sees: the inputs of a feature map, and which actions are legal."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gameforge.config import parse_spec
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import block
from gameforge.kernel.compile.functions import bound, compiled_function
from gameforge.play.game import Game
from gameforge.plugins.registry import default_registry

BITS = "bits"
"""The feature map that fits any game."""


class Observer:
    """A feature map, ready to be applied to states; the map's own viewpoint is kept."""

    def __init__(self, game: Game, features: str = BITS) -> None:
        component = default_registry().create("features", parse_spec(features), game.rules.name)
        functions = component.functions(game.rules)
        features = compiled_function("features", functions.features, compiled=functions.compiled)
        self.inputs: int = functions.inputs
        self._state, self._seen = np.zeros(game.functions.words, np.uint64), np.zeros(self.inputs, np.float32)
        self._look = bound(features, block(functions.data), self._state, self._seen)

    def __call__(self, state: State) -> NDArray[np.float32]:
        """Return the inputs for a state."""
        self._state[:] = state
        self._seen[:] = 0
        self._look()
        return self._seen.copy()


def mask(size: int, legal: Iterable[int]) -> NDArray[np.int8]:
    """Return 1 for each legal action and 0 for the others."""
    marked = np.zeros(size, np.int8)
    marked[list(legal)] = 1
    return marked
