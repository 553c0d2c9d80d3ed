"""The activation function of the kernel: plain float32 arithmetic in place of a library's tanh."""

from typing import Any

import numpy as np

from gameforge.kernel import simd
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import kernel

BOUND = 4e-7
"""Largest error that the module promises."""


@kernel
def scalars(x: Any, y: Any) -> None:
    for i in range(len(x)):
        y[i] = simd.tanh(x[i])


@kernel
def lanes(x: Any, y: Any) -> None:
    for i in range(np.uint64(0), np.uint64(len(x)), np.uint64(8)):
        simd.store(at(y, np.uint64(0)), i, simd.tanh_lanes(simd.load(at(x, np.uint64(0)), i)))


def both(x: Any) -> Any:
    """tanh by scalars and by lanes; the length of x is a multiple of 8."""
    y = np.zeros((2, len(x)), np.float32)
    scalars(x, y[0])
    lanes(x, y[1])
    return y


GRID = np.linspace(-12, 12, 2_000_000, dtype=np.float32)


def test_the_error_is_within_the_bound() -> None:
    error = np.abs(both(GRID) - np.tanh(GRID.astype(np.float64)))
    assert error.max() < BOUND


def test_values_stay_within_one_and_keep_their_sign() -> None:
    y = both(GRID)
    assert np.abs(y).max() == 1
    assert (np.sign(y) == np.sign(GRID)).all()
    assert (both(-GRID) == -y).all()


def test_where_it_falls_it_falls_by_rounding_only() -> None:
    """Neighbours may be out of order by their rounding errors, less than 9 units in the last place."""
    for y in both(GRID):
        falls = -np.minimum(np.diff(y), 0)
        assert (falls < 9 * np.spacing(np.abs(y[1:]))).all()


def test_small_and_extreme_arguments() -> None:
    x = np.array([0, 1e-30, 1e-10, 1e-4, 8.5, 1e10, 3e38, np.inf], np.float32)
    for y in both(x):
        np.testing.assert_allclose(y, np.tanh(x), rtol=1e-6)
