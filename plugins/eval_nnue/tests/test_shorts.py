"""The vectors of int16: the compiled operations give what the arrays of the uncompiled ones give."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from gameforge_eval_nnue import shorts

from gameforge.kernel import at, bits
from gameforge.testing.uncompiled import uncompiled


def operations(shorts: ModuleType, block: Any, wide: Any) -> Callable[..., Any]:
    """Return a function that does all of them with numbers from x, and writes vectors to y and totals to z."""
    first, second, third, fourth = (np.uint64(16 * i) for i in range(4))

    def every(x: Any, y: Any, z: Any) -> None:
        x, y, z = block(x), block(y), wide(z)
        a, b = shorts.load(x, first), shorts.load(x, second)
        shorts.store(y, first, shorts.add(a, b))
        shorts.store(y, second, shorts.sub(a, b))
        shorts.store(y, third, shorts.clamp(a, 127))
        shorts.store(y, fourth, shorts.load(x, np.uint64(3)))  # from anywhere
        # Two vectors of 32 active units, and one of weights.
        for i in range(2):
            a, b = shorts.load(x, np.uint64(32 * i)), shorts.load(x, np.uint64(32 * i + 16))
            shorts.store_bytes(y, np.uint64(128 + 32 * i), shorts.clamp(a, 127), shorts.clamp(b, 127))
        units, others = shorts.load_bytes(y, np.uint64(128)), shorts.load_bytes(y, np.uint64(160))
        weights, ones = shorts.load_bytes(x, np.uint64(128)), shorts.load(x, np.uint64(80))
        c = shorts.add_products(units, weights, ones, shorts.no_sums())
        d = shorts.add_products(others, weights, ones, c)
        shorts.store_totals(z, np.uint64(0), c, d, shorts.no_sums(), shorts.add_products(units, others, ones, d))

    return every


def test_compiled_operations_give_the_same_integers() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-(1 << 15), 1 << 15, 96).astype(np.int16)
    x[0:2], x[16:18] = (32767, -32768), (1, -1)  # sums and differences wrap around
    x[64:80].view(np.int8)[:] = rng.integers(-127, 128, 32)
    x[66:68].view(np.int8)[:], x[4:8], x[80:] = 127, 127, 1  # the largest products
    fast, slow = np.zeros(96, np.int16), np.zeros(96, np.int16)
    totals, expected = np.zeros(4, np.int32), np.zeros(4, np.int32)
    block = numba.njit(lambda array: bits.as_int16(at(array, np.uint64(0))))
    wide = numba.njit(lambda array: bits.as_int32(at(array, np.uint64(0))))
    compiled = numba.njit(operations(shorts, block, wide))
    compiled(x.view(np.uint64), fast.view(np.uint64), totals.view(np.float32))
    plain = operations(uncompiled("gameforge_eval_nnue.shorts"), lambda array: array, lambda array: array)
    with np.errstate(over="ignore"):
        plain(x, slow, expected)
    np.testing.assert_array_equal(fast, slow)
    np.testing.assert_array_equal(totals, expected)
    assert fast[0:2].tolist() == [-32768, 32767]
