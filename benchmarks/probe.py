"""Probes of the oracle chinook a second, on one core: median of 15 runs over a million random positions.

    python benchmarks/probe.py [PIECES] [PATH]

The positions have PIECES pieces (4 unless told) and either side to move; PATH is a folder with Chinook's
files. Each figure contains the loop and the call through the kernel's table, as a search pays them.
"""

import statistics
import sys
import time
from typing import Any

import numpy as np
from gameforge_draughts.board import LAST_BIT, WHITE_TO_MOVE
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_egdb_chinook.slices import positions, slices, tables
from machine import pin
from numba import njit, types
from numpy.typing import NDArray

from gameforge.kernel.abi import SIGNATURES
from gameforge.kernel.bits import at
from gameforge.kernel.functions import table_function

POSITIONS, RUNS = 1 << 20, 15
_0, _3 = np.uint64(0), np.uint64(3)
_SIGNATURE = types.int64(types.FunctionType(SIGNATURES["probe"]), types.uint64[::1], types.uint64[::1])


@njit(_SIGNATURE, nogil=True)
def count_known(probe: Any, od: Any, states: Any) -> Any:
    """Number of states that the oracle knows."""
    out = np.zeros(1, np.uint64)
    known = 0
    for i in range(len(states) // 3):
        known += probe(at(od, _0), at(states, np.uint64(i) * _3), at(out, _0)) != 0
    return known


@njit
def write_states(t: Any, numbers: Any, indices: Any, states: Any) -> None:
    """The states of these indices, which lie in the slices of these numbers."""
    for i in range(len(indices)):
        set_up(at(t, _0), numbers[i], indices[i], at(states, np.uint64(i) * _3))


def random_states(pieces: int) -> NDArray[np.uint64]:
    """States drawn from all positions with exactly this number of pieces; every other one has White to move."""
    rng = np.random.default_rng(1)
    first = positions(pieces - 1) if pieces > 2 else 0
    indices = rng.integers(first, positions(pieces), POSITIONS, dtype=np.uint64)
    starts = np.array([s.start for s in slices(pieces)], np.uint64)
    numbers = (np.searchsorted(starts, indices, side="right") - 1).astype(np.uint64)
    states = np.zeros((POSITIONS, 3), np.uint64)
    write_states(tables(pieces), numbers, indices, states.reshape(-1))
    turned = np.zeros_like(states[::2])
    for bit in range(LAST_BIT + 1):
        turned |= (states[::2] >> np.uint64(bit) & np.uint64(1)) << np.uint64(LAST_BIT - bit)
    turned[:, 2] |= WHITE_TO_MOVE
    states[::2] = turned
    return states.ravel()


def nothing(od: Any, s: Any, out: Any) -> Any:
    return np.int64(1)


def main() -> None:
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    path = sys.argv[2] if len(sys.argv) > 2 else None
    made = Chinook(pieces=pieces, path=path).open(Draughts())
    machine = pin()
    states = random_states(pieces)
    print(f"{machine}, {made.covers}, block of {made.data.nbytes / 1e6:.1f} MB")
    for name, function in (("loop and call alone", nothing), ("probe", made.probe)):
        entry = table_function("probe", function)
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            known = count_known(entry, made.data, states)
            times.append(time.perf_counter() - begin)
        assert known == POSITIONS
        seconds = statistics.median(times)
        print(f"{name:20s} {seconds / POSITIONS * 1e9:6.1f} ns {POSITIONS / seconds / 1e6:7.1f} M/s")


if __name__ == "__main__":
    main()
