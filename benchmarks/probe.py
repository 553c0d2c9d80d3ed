"""Probes per second of the oracle chinook, on one core: median of 15 runs over a million random positions.

    python benchmarks/probe.py [PIECES] [PATH]

The positions have PIECES pieces (default 4) and either side to move. PATH is a folder with Chinook's files, which are
probed both compressed and expanded in memory, or with distances; without PATH, values are solved first. In a quiet
position neither side can capture. Each figure includes the loop and the call of the compiled function, as in a search.
"""

import statistics
import sys
import time
from typing import Any

import numpy as np
from gameforge_draughts.movegen import LAST_BIT, WHITE_TO_MOVE
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_egdb_chinook.probe import mover_can_capture, other_could_capture, probe_files
from gameforge_egdb_chinook.slices import positions, slices, tables
from machine import pin
from numba import njit, types
from numpy.typing import NDArray

from gameforge.interfaces.oracle import OracleFunctions
from gameforge.kernel.abi import SIGNATURES
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import compiled_function

POSITIONS, RUNS = 1 << 20, 15
_0, _3 = np.uint64(0), np.uint64(3)
_WORDS = types.uint64[::1]
_SIGNATURE = types.int64(types.FunctionType(SIGNATURES["probe"]), _WORDS, _WORDS, _WORDS)


@njit(_SIGNATURE, nogil=True)
def count_known(probe: Any, od: Any, states: Any, out: Any) -> Any:
    """Number of states that the oracle knows."""
    known = 0
    for i in range(len(states) // 3):
        known += probe(at(od, _0), at(states, np.uint64(i) * _3), at(out, _0)) != 0
    return known


@njit
def write_states(t: Any, numbers: Any, indices: Any, states: Any) -> None:
    """Write the states with these indices within the slices of these numbers."""
    for i in range(len(indices)):
        set_up(at(t, _0), numbers[i], indices[i], at(states, np.uint64(i) * _3))


@njit
def quiet_ones(states: Any) -> Any:
    """For each state, whether neither side can capture."""
    quiet = np.zeros(len(states) // 3, np.bool_)
    for i in range(len(quiet)):
        s = at(states, np.uint64(i) * _3)
        quiet[i] = not mover_can_capture(s) and not other_could_capture(s)
    return quiet


def random_states(pieces: int) -> NDArray[np.uint64]:
    """States drawn from all positions with exactly this number of pieces; every other one has White to move."""
    rng = np.random.default_rng(1)
    first = positions(pieces - 1) if pieces > 2 else 0
    count = 3 * POSITIONS
    indices = rng.integers(first, positions(pieces), count, dtype=np.uint64)
    starts = np.array([s.start for s in slices(pieces)], np.uint64)
    numbers = (np.searchsorted(starts, indices, side="right") - 1).astype(np.uint64)
    states = np.zeros((count, 3), np.uint64)
    write_states(tables(pieces), numbers, indices, states.reshape(-1))
    turned = np.zeros_like(states[::2])
    for bit in range(LAST_BIT + 1):
        turned |= (states[::2] >> np.uint64(bit) & np.uint64(1)) << np.uint64(LAST_BIT - bit)
    turned[:, 2] |= WHITE_TO_MOVE
    states[::2] = turned
    return states


def nothing(od: Any, s: Any, out: Any) -> Any:
    return np.int64(1)


def measure(name: str, function: Any, made: OracleFunctions, states: NDArray[np.uint64]) -> None:
    entry = compiled_function("probe", function)
    out = np.zeros(4 + made.scratch, np.uint64)
    times = []
    for _ in range(RUNS):
        begin = time.thread_time()
        known = count_known(entry, made.data, states, out)
        times.append(time.thread_time() - begin)
    assert known == POSITIONS
    seconds = statistics.median(times)
    print(f"{name:44} {seconds / POSITIONS * 1e9:6.1f} ns {POSITIONS / seconds / 1e6:7.1f} M/s", flush=True)


def main() -> None:
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    path = sys.argv[2] if len(sys.argv) > 2 else None
    opened = {"": Chinook(pieces=pieces, path=path).open(Draughts(), workers=2)}
    if opened[""].probe is probe_files:
        opened = {"compressed, ": opened[""]}
        opened["expanded, "] = Chinook(pieces=pieces, path=path, expand=True).open(Draughts(), workers=2)
    machine = pin()
    drawn = random_states(pieces)
    quiet = drawn[quiet_ones(drawn.reshape(-1))][:POSITIONS].ravel()
    print(f"{machine}, {pieces} pieces; quiet: {quiet_ones(drawn.reshape(-1)).mean():.1%} of all positions")
    for how, made in opened.items():
        print(f"{how}{made.covers}")
        if how != "expanded, ":
            measure("loop and call alone", nothing, made, quiet)
        measure(f"{how}quiet positions", made.probe, made, quiet)
        measure(f"{how}all positions, with captures", made.probe, made, drawn[:POSITIONS].ravel())


if __name__ == "__main__":
    main()
