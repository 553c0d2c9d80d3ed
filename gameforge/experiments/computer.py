"""The speed of this computer, relative to the one on which the durations of trials were estimated."""

import time

_REFERENCE = 0.0415
"""Processor seconds of the task on one core of a virtual AMD EPYC (Zen 4)."""
_REPEATS = 3


def relative_speed() -> float:
    """Time a short task, in processor time; 2.0 means twice as fast. Takes about a tenth of a second."""
    return _REFERENCE / min(_seconds() for _ in range(_REPEATS))


def _seconds() -> float:
    """Processor seconds of a task of random numbers and plain Python.

    Both are scalar code, as most of a game is. Sorting by numpy would not do: its time depends most of all on the
    processor's vector instructions.
    """
    import numpy as np  # here, because the command's help must not wait for it

    rng = np.random.default_rng(0)
    began = time.process_time()
    for _ in range(128):
        rng.random(1 << 16)
    total = 0
    for i in range(800_000):
        total += i & 7
    return max(time.process_time() - began, 1e-6)
