"""Weights that come from files: checked before anything is computed with them."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def finite_floats(array: "NDArray[Any]", shape: tuple[int, ...] | None = None) -> "NDArray[np.float32]":
    """A copy as float32; ValueError unless these are finite numbers of this shape, or of one dimension."""
    import numpy as np

    if array.dtype.kind not in "fiu":
        raise ValueError(f"expected numbers, got values of type {array.dtype}")
    if array.ndim != 1 if shape is None else array.shape != shape:
        expected = "one dimension" if shape is None else f"the shape {shape}"
        raise ValueError(f"expected {expected}, got the shape {array.shape}")
    with np.errstate(over="ignore"):  # what overflows becomes infinite, and is refused
        floats = np.array(array, np.float32)
    if not math.isfinite(float(np.abs(floats).max(initial=0))):
        raise ValueError("there are values that are not finite")
    return floats
