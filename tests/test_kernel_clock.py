"""The clock that kernels read."""

import time

from toy_site import python

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


FIRST_SEARCH = """
import time

import gameforge as gf
from gameforge.kernel.compile.jit import c_function

player = gf.player("draughts", searcher="alphabeta:time=0.05", evaluator="material")
clock, loaded = time.monotonic_ns, []

def read():
    loaded.append(c_function.cache_info().misses)
    return clock()

time.monotonic_ns = read
player.analyse(player.game.position())
print(c_function.cache_info().misses - loaded[0])
"""
"""Prints how many functions are loaded after the clock of the first search has started."""


def test_the_first_search_of_a_process_has_its_kernels_before_its_clock_starts() -> None:
    """Loading them takes about 0.1 s. A search of 0.1 s ended after 2 plies when its clock ran meanwhile."""
    ran = python(FIRST_SEARCH)
    assert (ran.stdout, ran.stderr) == ("0\n", "")
