"""Types of what compiled functions work on. numba ignores annotations; mypy checks with them what kernels hand on.

A *word* is a uint64. A *block* is memory that a function reads and writes by index: an array, or a pointer into one
(`at` in bits.py), which knows no length. So kernels take blocks, and Python code that makes them has numpy arrays.
"""

from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Word: TypeAlias = np.uint64
"""A state's word, a move, a key, an index, a count. U0 to U4 of bits.py are the small ones."""
Score: TypeAlias = float
"""A score: float64, from -1 to 1 for the side to move (gameforge.interfaces.evaluator)."""

Element = TypeVar("Element")


class Block(Protocol[Element]):
    """Memory of one type, read and written by index."""

    def __getitem__(self, index: "int | np.integer[Any]", /) -> Element: ...

    def __setitem__(self, index: "int | np.integer[Any]", value: Element, /) -> None: ...


Words: TypeAlias = Block[np.uint64]
"""A block of words: a state, moves, data, a stack."""
Floats: TypeAlias = Block[np.float32]
"""A block of float32: weights, inputs, scratch."""
Scores: TypeAlias = Block[np.float64]
"""A block of scores."""
Integers: TypeAlias = Block[np.int64]
"""A block of int64: counters, controls, clocks."""
Limits: TypeAlias = Block[np.int64]
"""A searcher's limits: [DEPTH_LIMIT], and what the searcher adds."""
Places: TypeAlias = Block[np.int32]
"""A block of int32: indices of weights."""

WordArray: TypeAlias = NDArray[np.uint64]
"""An array of words."""
FloatArray: TypeAlias = NDArray[np.float32]
"""An array of float32."""
IntegerArray: TypeAlias = NDArray[np.int64]
"""An array of int64."""
