"""The clock that kernels read."""

import time

from gameforge.kernel.compile.clock import SECOND, _python_clock, nanoseconds
from gameforge.kernel.compile.jit import kernel


@kernel
def readings(n, out):
    """Consecutive readings."""
    for i in range(n):
        out[i] = nanoseconds()


def test_advances_with_the_systems_clock() -> None:
    import numpy as np

    out = np.zeros(1000, np.int64)
    readings(10, out)
    before = time.monotonic_ns()
    readings(len(out), out)
    after = time.monotonic_ns()
    assert before <= out[0] <= out[-1] <= after
    assert (np.diff(out) >= 0).all()


def test_pythons_clock_has_the_same_signature() -> None:
    words = [0, 0]
    before = time.monotonic_ns()
    assert _python_clock(1, words) == 0
    assert before <= words[0] * SECOND + words[1] <= time.monotonic_ns()
    assert words[1] < SECOND
