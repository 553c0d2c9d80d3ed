"""The vectors of int16: the compiled operations give what the arrays of the uncompiled ones give."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from gameforge_eval_nnue import shorts

from gameforge.kernel import at, bits
from gameforge.testing.uncompiled import uncompiled


def operations(shorts: ModuleType, block: Any) -> Callable[..., Any]:
    """Return a function that does all of them, with numbers and bytes from x, and writes vectors to y."""
    first, second, third, fourth, fifth = (np.uint64(16 * i) for i in range(5))

    def every(x: Any, y: Any) -> Any:
        x, y = block(x), block(y)
        a, b, small = shorts.load(x, first), shorts.load(x, second), shorts.load_bytes(x, third)
        shorts.store(y, first, shorts.add(a, b))
        shorts.store(y, second, shorts.sub(a, b))
        shorts.store(y, third, shorts.clamp(a, 127))
        shorts.store(y, fourth, small)
        shorts.store(y, fifth, shorts.load(x, np.uint64(3)))  # from anywhere
        return shorts.total(shorts.add_products(b, small, shorts.add_products(a, b, shorts.no_sums())))

    return every


def test_compiled_operations_give_the_same_integers() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-(1 << 15), 1 << 15, 48).astype(np.int16)
    x[0:2], x[16:18] = (32767, -32768), (1, -1)  # sums and differences wrap around
    fast, slow = np.zeros(80, np.int16), np.zeros(80, np.int16)
    block = numba.njit(lambda array: bits.as_int16(at(array, np.uint64(0))))
    total = numba.njit(operations(shorts, block))(x.view(np.uint64), fast.view(np.uint64))
    plain = operations(uncompiled("gameforge_eval_nnue.shorts"), lambda array: array)
    with np.errstate(over="ignore"):
        assert total == plain(x, slow)
    np.testing.assert_array_equal(fast, slow)
    assert fast[0:2].tolist() == [-32768, 32767]
