"""Random numbers inside kernels: splitmix64 (Steele, Lea, Flood 2014), one word of state."""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def threshold(share: float) -> np.uint64:
    """Return the word below which this share of all words lies."""
    return np.uint64(min(int(share * 2.0**64), 2**64 - 1))


@inline
def next_word(rng: Any) -> Any:
    """Return 64 random bits and advance rng[0]."""
    z = rng[0] + _GOLDEN
    rng[0] = z
    z = (z ^ (z >> _30)) * _M1
    z = (z ^ (z >> _27)) * _M2
    return z ^ (z >> _31)


@inline
def below(rng: Any, n: Any) -> Any:
    """Return a random integer in [0, n), for n < 2**32; the bias is below n / 2**32."""
    return ((next_word(rng) >> _32) * n) >> _32
