"""Interface of feature maps: position -> input vector of a net."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.rules import Rules

Viewpoint = Literal["just moved", "to move"]
"""The side from which a feature map sees the position; scores are turned to the side to move accordingly."""


@attrs.frozen(kw_only=True)
class FeatureFunctions:
    """A feature map as `features(fd, s, x)` (kernel/abi.py), which writes x[0] .. x[inputs - 1]."""

    inputs: int
    viewpoint: Viewpoint
    features: Callable[..., Any]
    data: "NDArray[np.uint64] | None" = None
    """The block fd: settings and masks."""
    names: tuple[str, ...] = ()
    """One name for each input, or none at all."""
    compiled: bool = True
    """False: a plain Python callback."""


class FeatureMap(Protocol):
    """A feature component: frozen parameters, from which `functions` makes the descriptor for given rules."""

    def functions(self, rules: "Rules") -> FeatureFunctions: ...


@runtime_checkable
class Selectable(Protocol):
    """A feature map of several features, from which a learner can choose some."""

    @property
    def selectable(self) -> tuple[str, ...]:
        """Names of its features; a feature is one input or several."""
        ...

    def selected(self, names: Collection[str]) -> FeatureMap:
        """The same component with these features only, one or more of `selectable`.

        Its functions are the same, and its data says which features are chosen: another choice compiles nothing.
        """
        ...
