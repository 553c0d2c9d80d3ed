"""Fitness of Othello piece counters: games of an individual against the standard table, 10 % of the moves random.

    python benchmarks/wpc_fitness.py [GENERATIONS]

First games per second on one pinned core, with and without the book; wall clock and processor time. Then GENERATIONS
generations of the preset `kim-cho-othello` (50 individuals x 1,000 games) on two threads; the whole training has 100.
"""

import os
import statistics
import sys
import time
from typing import Any

from machine import pin

RUNS = 5
GAMES = 10_000


def speed(oracle: str) -> tuple[float, float]:
    """Median games per second by wall clock and by processor time."""
    import numpy as np

    import gameforge as gf
    from gameforge.arena.workspace import GameSeries
    from gameforge.play.parts import Parts
    from gameforge.play.player import Player

    evolved: Any = {"game": "othello", "searcher": "minimax:depth=1", "evaluator": "wpc:learned=true"}
    parts = gf.Pipeline(**evolved, oracle=oracle, learner="none").parts()
    table: Parts = gf.Pipeline(**(evolved | {"evaluator": "wpc"}), oracle="none", learner="none").parts()
    walls, processor = [], []
    for seed in range(RUNS):
        player = Player(parts, parts.initial_weights(np.random.default_rng(seed)))
        series = GameSeries(player, Player(table), random_moves=0.1)
        series.play([False, True], seed)
        wall, busy = time.perf_counter(), time.process_time()
        series.play([i % 2 == 1 for i in range(GAMES)], seed)
        walls.append(GAMES / (time.perf_counter() - wall))
        processor.append(GAMES / (time.process_time() - busy))
    return statistics.median(walls), statistics.median(processor)


def training(generations: int) -> float:
    """Seconds of this number of generations on two threads, with compiled kernels."""
    import tempfile
    from pathlib import Path

    import gameforge as gf

    table = {
        "game": "othello",
        "searcher": "minimax:depth=1",
        "evaluator": "wpc:learned=true",
        "oracle": "none",
        "learner": {"use": "roulette", "opponent": "wpc", "generations": generations},
    }
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        gf.Pipeline(**table).run(Path(folder) / "run", seed=1, workers=2)
        return time.perf_counter() - began


def main() -> None:
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    print(pin())
    for oracle in ("none", "book"):
        wall, busy = speed(oracle)
        print(f"oracle {oracle}: {wall:,.0f} games/s, {busy:,.0f} by processor time")
    if cores:
        os.sched_setaffinity(0, cores)
    seconds = training(generations)
    games = generations * 50_000
    print(f"{generations} generations, two threads: {seconds:.0f} s, {games / seconds:,.0f} games/s")


if __name__ == "__main__":
    main()
