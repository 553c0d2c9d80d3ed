"""Interface of feature maps: position -> inputs of a net."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.rules import Rules

Viewpoint = Literal["just moved", "to move"]
"""The side from whose viewpoint a feature map sees the position. The evaluator converts scores to the side to move."""


@attrs.frozen(kw_only=True)
class FeatureFunctions:
    """A feature map as `features(fd, s, x)` (kernel/abi.py), which writes x[0] .. x[inputs - 1]."""

    inputs: int
    """Number of inputs."""
    viewpoint: Viewpoint
    """Whose eyes the map uses: the side to move, or the side that has just moved."""
    features: Callable[..., object]
    """The function that writes the inputs."""
    data: "NDArray[np.uint64] | None" = None
    """The block `fd`: settings and masks."""
    names: tuple[str, ...] = ()
    """One name for each input, or an empty tuple."""
    compiled: bool = True
    """False: `features` is called as plain Python."""


class FeatureMap(Protocol):
    """A feature component."""

    def functions(self, rules: "Rules") -> FeatureFunctions:
        """Return the feature map's functions for these rules; raises GameforgeError for rules of another game."""
        ...


@runtime_checkable
class Selectable(Protocol):
    """A feature map from which a learner can select some features."""

    @property
    def selectable(self) -> tuple[str, ...]:
        """The names of its features; a feature consists of one or more inputs."""
        ...

    def selected(self, names: Collection[str]) -> FeatureMap:
        """Return the same component with one or more of these `selectable` features only.

        The functions stay the same and read the selection from their data, so that nothing is recompiled.
        """
        ...
