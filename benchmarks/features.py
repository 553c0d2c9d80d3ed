"""Nanoseconds per call of the draughts feature maps, on one core: median of 15 runs over positions of random games.

    python benchmarks/features.py

Each figure includes the loop and the call of the compiled function, whose cost the first line shows.
"""

import itertools
import statistics
import time
from typing import Any

import numpy as np
from gameforge_draughts.evaluation import BinaryMap, DirectMap, NetFeatureMap
from gameforge_draughts.rules import Draughts
from machine import pin
from numba import njit, types
from numpy.typing import NDArray

from gameforge.interfaces.features import FeatureMap
from gameforge.kernel.abi import SIGNATURES
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import compiled_function

POSITIONS, SWEEPS, RUNS = 4096, 50, 15
_0, _3 = np.uint64(0), np.uint64(3)
_SIGNATURE = types.int64(
    types.FunctionType(SIGNATURES["features"]),
    types.uint64[::1],
    types.uint64[::1],
    types.float32[::1],
    types.int64,
)


@njit(_SIGNATURE, nogil=True)
def sweep(features: Any, fd: Any, states: Any, x: Any, sweeps: Any) -> Any:
    """Features of every state, `sweeps` times."""
    for _ in range(sweeps):
        for i in range(len(states) // 3):
            features(at(fd, _0), at(states, np.uint64(i) * _3), at(x, _0))
    return sweeps


def nothing(fd: Any, s: Any, x: Any) -> None:
    x[0] = np.float32(0)


def random_positions(n: int) -> NDArray[np.uint64]:
    """States of random games, one after the other."""
    rules = Draughts().functions()
    gen, play = compiled_function("gen", rules.gen).python, compiled_function("play", rules.play).python
    rng = np.random.default_rng(1)
    data, moves = np.zeros(1, np.uint64), np.zeros(rules.max_moves, np.uint64)
    states = np.zeros((n, 3), np.uint64)
    states[0] = Draughts().initial()
    for before, after in itertools.pairwise(states):
        count = gen(data.ctypes.data, before.ctypes.data, moves.ctypes.data)
        if count:
            play(data.ctypes.data, before.ctypes.data, int(moves[rng.integers(count)]), after.ctypes.data)
        else:
            after[:] = Draughts().initial()
    return states.ravel()


def main() -> None:
    machine = pin()
    states, x = random_positions(POSITIONS), np.zeros(128, np.float32)
    maps: dict[str, FeatureMap] = {
        "all 15 (ls)": NetFeatureMap(),
        "12 (neurodraughts)": NetFeatureMap(set="neurodraughts"),
        "F1, F2, F14": NetFeatureMap(features=["PieceAdvantage", "PieceDisadvantage", "Threat"]),
        "binarymap": BinaryMap(),
        "directmap": DirectMap(),
    }
    cases: list[tuple[str, Any, Any, int]] = [("loop and call alone", compiled_function("features", nothing), None, 1)]
    for name, features in maps.items():
        made = features.functions(Draughts())
        cases.append((name, compiled_function("features", made.features), made.data, made.inputs))
    print(f"{machine}, {POSITIONS} positions")
    for name, function, data, inputs in cases:
        fd = data if data is not None else np.zeros(1, np.uint64)
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            sweep(function, fd, states, x, SWEEPS)
            times.append((time.perf_counter() - begin) / (POSITIONS * SWEEPS) * 1e9)
        print(f"{name:20s} {inputs:3d} inputs {statistics.median(times):6.1f} ns")


if __name__ == "__main__":
    main()
