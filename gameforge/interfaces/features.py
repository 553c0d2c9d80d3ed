"""Interface of feature maps: position -> input vector of a net."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.rules import Rules

Viewpoint = Literal["just moved", "to move"]
"""Whose eyes a feature map looks through; scores are turned to the side to move accordingly."""


@attrs.frozen(kw_only=True)
class FeatureFunctions:
    """A feature map as `features(fd, s, x)` of the kernel's table: writes x[0] .. x[inputs - 1]."""

    inputs: int
    viewpoint: Viewpoint
    features: Callable[..., Any]
    data: "NDArray[np.uint64] | None" = None
    """The block fd: settings and masks."""
    names: tuple[str, ...] = ()
    """One name an input, or none at all."""
    compiled: bool = True
    """False: a plain Python callback."""


class FeatureMap(Protocol):
    """A feature component: frozen parameters, from which a kernel is made for given rules."""

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

        Its kernel has the same functions, and tells by its data which features are chosen: nothing is
        compiled for another choice.
        """
        ...
