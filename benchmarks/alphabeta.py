"""alphabeta: nodes per second with two kinds of evaluator, speedup by a second thread, accuracy of time limits.

    python benchmarks/alphabeta.py [speed|workers|time]

Speed is nodes per second of processor time on one pinned core, over the positions of the node-count signature;
features and net are timed separately on the same number of states. The others are wall times and need an idle machine.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from machine import pin

import gameforge as gf
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.evaluate import score_states
from gameforge.play.player import Player

BENCH = Path(__file__).parents[1] / "plugins/search_minimax/tests/signature.txt"
RUNS = 5
DEPTH, WORKERS_DEPTH = 13, 16
STATES = 200_000
SECONDS, SEARCHES = 0.05, 200
EVALUATORS = {
    "material": {"evaluator": "material"},
    "mlp, 12 features": {"evaluator": "mlp:hidden=20,direct=true", "features": "netfeaturemap:set=neurodraughts"},
    "mlp, 15 features": {"evaluator": "mlp:hidden=20,direct=true", "features": "netfeaturemap:set=ls"},
}
GAME = gf.game("draughts")
POSITIONS = [GAME.position(line.split()[2]) for line in BENCH.read_text().splitlines()[:-1]]


@kernel
def input_vectors(evaluator: Any, words: Any, inputs: Any, states: Any, x: Any) -> None:
    """Input vectors of as many states as x has room for."""
    for i in range(np.uint64(len(x)) // inputs):
        evaluator.features(at(evaluator.features_data, np.uint64(0)), at(states, i * words), at(x, i * inputs))


def player(searcher: str, evaluator: str = "material") -> Player:
    return gf.player(GAME, searcher=searcher, oracle="none", seed=1, **EVALUATORS[evaluator])


def median(work: Callable[[], float]) -> float:
    """Median seconds of a few runs, after one warm-up run."""
    work()
    return statistics.median(work() for _ in range(RUNS))


def processor(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def speed() -> None:
    print(pin())
    rng = np.random.default_rng(1)
    states = []
    for _ in range(STATES // 50):
        state = GAME.position().state
        for _ in range(50):
            states.append(state)
            legal = GAME.legal(state)
            if not legal:
                break
            state = GAME.play(state, legal[int(rng.integers(len(legal)))])
    blocks, scores = np.array(states, np.uint64).reshape(-1), np.zeros(len(states), np.float64)

    def nanoseconds(seconds: float) -> float:
        return seconds / len(states) * 1e9

    for name in EVALUATORS:
        searcher = player(f"alphabeta:depth={DEPTH}", name)
        nodes = 0

        def search(searcher: Player = searcher) -> None:
            nonlocal nodes
            nodes = sum(searcher.analyse(position).nodes for position in POSITIONS)

        seconds = median(lambda work=search: processor(work))
        print(f"{name}: {nodes / seconds / 1e6:.2f} million nodes/s, {seconds / nodes * 1e9:.0f} ns a node", end="")
        evaluator = searcher._workspace[1].context.evaluator
        whole = median(lambda e=evaluator: processor(lambda: score_states(e, GAME.compiled.words, blocks, scores)))
        if searcher.weights is not None:
            width = np.uint64(searcher.parts.net.features.inputs)
            x = np.zeros(len(states) * int(width), np.float32)
            block = (evaluator, GAME.compiled.words, width, blocks, x)
            features = median(lambda b=block: processor(lambda: input_vectors(*b)))
            print(f"; features {nanoseconds(features):.0f} ns, net {nanoseconds(whole - features):.0f} ns")
        else:
            print(f"; evaluator {nanoseconds(whole):.0f} ns")


def wall(searcher: Player) -> float:
    """Seconds for all positions."""
    began = time.perf_counter()
    for position in POSITIONS:
        searcher.analyse(position)
    return time.perf_counter() - began


def workers() -> None:
    one, two = (player(f"alphabeta:depth={WORKERS_DEPTH},memory=64,workers={n}") for n in (1, 2))
    for searcher in (one, two):
        wall(searcher)
    alone, together = [], []
    for _ in range(RUNS):
        alone.append(wall(one))
        together.append(wall(two))
    a, b = statistics.median(alone), statistics.median(together)
    print(
        f"depth {WORKERS_DEPTH}: one worker {a:.2f} s, two {b:.2f} s, ratio {b / a:.2f}; load {os.getloadavg()[0]:.1f}"
    )


def busy() -> None:
    """Wait for SECONDS by reading the clock, to measure the accuracy of the machine itself."""
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        pass


def timing() -> None:
    searcher = player(f"alphabeta:time={SECONDS}")
    searcher.analyse(POSITIONS[0])
    works: dict[str, Callable[[], object]] = {
        "searches": lambda: searcher.analyse(POSITIONS[0]),
        "loops that only read the clock": busy,
    }
    for name, work in works.items():
        off = []
        for _ in range(SEARCHES):
            began = time.perf_counter()
            work()
            off.append((time.perf_counter() - began - SECONDS) * 1000)
        off.sort()
        print(
            f"{SEARCHES} {name}, {SECONDS * 1000:.0f} ms each: median {off[len(off) // 2]:+.2f} ms, "
            f"99th percentile {off[int(len(off) * 0.99)]:+.2f} ms; load {os.getloadavg()[0]:.1f}"
        )


if __name__ == "__main__":
    parts = {"workers": workers, "time": timing, "speed": speed}  # speed pins the process, so it comes last
    for part in sys.argv[1:] or parts:
        parts[part]()
