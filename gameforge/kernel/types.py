"""Types of what compiled functions work on. numba ignores annotations; mypy checks with them what kernels hand on.

A *word* is a uint64. A *block* is memory that a function reads and writes by index: an array, or a pointer into one
(`at` in bits.py), which knows no length. So kernels take blocks, and the Python code that makes them has numpy arrays.
"""

from typing import Any, NewType, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Word: TypeAlias = np.uint64
"""A state's word, a move, a key, an index, a count. U0 to U4 of bits.py are the small ones."""
Score: TypeAlias = float
"""A score: float64, from -1 to 1 for the side to move (gameforge.interfaces.evaluator)."""
Single = NewType("Single", float)
"""A float32, as read from a block of them; sums and products are numbers like any other to mypy."""

Real: TypeAlias = "float | np.floating[Any]"
"""A number that a kernel computes with as float32 or float64."""
Whole: TypeAlias = "int | np.integer[Any]"
"""An integer of any size."""
Truth: TypeAlias = "bool | np.bool_"
"""What a comparison gives, of words or of numbers."""

Read = TypeVar("Read", covariant=True)
Written = TypeVar("Written", contravariant=True)


class Block(Protocol[Read, Written]):
    """Memory of one type, read and written by index."""

    def __getitem__(self, index: Whole, /) -> Read: ...

    def __setitem__(self, index: Whole, value: Written, /) -> None: ...


Words: TypeAlias = Block[np.uint64, Whole]
"""A block of words: a state, moves, data, a stack."""
Floats: TypeAlias = Block[Single, Real]
"""A block of float32: weights, inputs, scratch."""
Scores: TypeAlias = Block[float, Real]
"""A block of scores."""
Integers: TypeAlias = Block[int, Whole]
"""A block of int64: counters, controls, clocks."""
Limits: TypeAlias = Integers
"""A searcher's limits: [DEPTH_LIMIT], and what the searcher adds."""
Places: TypeAlias = Block[np.int32, Whole]
"""A block of int32: indices of weights."""

WordArray: TypeAlias = NDArray[np.uint64]
"""An array of words."""
FloatArray: TypeAlias = NDArray[np.float32]
"""An array of float32."""
ScoreArray: TypeAlias = NDArray[np.float64]
"""An array of scores."""
IntegerArray: TypeAlias = NDArray[np.int64]
"""An array of int64."""
