"""Training speed: TD self-play, and a whole run with its files.

    python benchmarks/training.py [GAMES]

One run on one pinned core for each pipeline, then two independent runs at once, each in its own process.
GAMES at 5 plies, ten times as many at look-ahead 0.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from machine import pin

RUNS = 3
NEURODRAUGHTS = [
    *("--evaluator", "mlp:hidden=12,direct=true"),
    *("--features", "netfeaturemap:set=neurodraughts"),
    *("--oracle", "none"),
]
PIPELINES = {
    "15 features, 5 plies, database": ["--oracle", "chinook"],
    "12 features, 5 plies": NEURODRAUGHTS,
    "12 features, look-ahead 0": [*NEURODRAUGHTS, "--searcher", "minimax:depth=1"],
}
"""Flags of `gameforge run --game draughts`."""


def games_of(name: str, games: int) -> int:
    return 10 * games if "look-ahead 0" in name else games


def train(name: str, seed: int, games: int) -> float:
    """Games per second of one training, with the oracle opened and kernels compiled before the clock starts."""
    import numpy as np

    import gameforge as gf
    from gameforge.interfaces.learner import TrainingTask

    flags = PIPELINES[name]
    chosen = {flag.removeprefix("--"): value for flag, value in zip(flags[::2], flags[1::2], strict=True)}
    pipeline = gf.Pipeline(game="draughts", learner=f"td:sessions=10,games={games // 10}", **chosen)
    parts = pipeline.parts()

    def task(seed: int) -> TrainingTask:
        return TrainingTask(
            parts=parts,
            seed=np.random.SeedSequence(seed),
            game_finished=lambda game: None,
            session_finished=lambda progress: None,
        )

    gf.Pipeline(game="draughts", oracle="none", learner="td:sessions=1,games=2").learner.train(task(0))
    began = time.perf_counter()
    pipeline.learner.train(task(seed))
    return games / (time.perf_counter() - began)


def whole_run(name: str, games: int) -> float:
    """Seconds of the command with all its files, start and match included."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        command = [sys.executable, "-m", "gameforge", "run", "--game", "draughts", *PIPELINES[name]]
        command += ["--learner", f"td:sessions=10,games={games // 10}", "--out", f"{folder}/run"]
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - began


def two_at_once(name: str, games: int) -> float:
    """Games per second of two simultaneous runs together, one on each of two cores."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    command = [sys.executable, __file__, "--child", name, str(games)]
    children = [
        subprocess.Popen([*command, str(core), str(seed)], stdout=subprocess.PIPE, text=True)
        for seed, core in enumerate(cores)
    ]
    return sum(float(child.communicate()[0]) for child in children)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        name, games, core, seed = sys.argv[2], *map(int, sys.argv[3:])
        os.sched_setaffinity(0, {core})
        print(train(name, seed, games))
        return
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    first = next(iter(PIPELINES))
    together = statistics.median(two_at_once(first, games) for _ in range(RUNS)) if os.cpu_count() != 1 else 0.0
    print(pin())
    for name in PIPELINES:
        n = games_of(name, games)
        alone = statistics.median(train(name, seed, n) for seed in range(RUNS))
        print(f"{name}: {alone:8.1f} games/s (median of {RUNS} seeds, {n} games each)")
        print(f"    `gameforge run`, {n} games, everything included: {whole_run(name, n):.1f} s")
        if name == first:
            print(f"    two runs: {together:6.1f} games/s together, {together / alone:.2f} times one")


if __name__ == "__main__":
    main()
