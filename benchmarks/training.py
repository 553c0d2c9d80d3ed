"""Training speed: TD self-play at 5 plies with the endgame database.

    python benchmarks/training.py [GAMES]

One run on one pinned core, then two independent runs at once, each in a process of its own.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from machine import pin

RUNS = 3


def train(seed: int, games: int) -> float:
    """Games a second of one training run, oracle open and kernels compiled before the clock starts."""
    import numpy as np

    import gameforge as gf
    from gameforge.learning import TrainingTask

    pipeline = gf.Pipeline(game="draughts", oracle="chinook", learner=f"td:sessions=10,games={games // 10}")
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


def whole_run(games: int) -> float:
    """Seconds of the command, start and match included."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        command = [sys.executable, "-m", "gameforge", "run", "--game", "draughts", "--oracle", "chinook"]
        command += ["--learner", f"td:sessions=10,games={games // 10}", "--out", f"{folder}/run"]
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - began


def two_at_once(games: int) -> float:
    """Games a second of two runs together, one on each of two cores."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    command = [sys.executable, __file__, "--child", str(games)]
    children = [
        subprocess.Popen([*command, str(core), str(seed)], stdout=subprocess.PIPE, text=True)
        for seed, core in enumerate(cores)
    ]
    return sum(float(child.communicate()[0]) for child in children)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        games, core, seed = map(int, sys.argv[2:])
        os.sched_setaffinity(0, {core})
        print(train(seed, games))
        return
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    together = statistics.median(two_at_once(games) for _ in range(RUNS)) if os.cpu_count() != 1 else 0.0
    print(pin())
    alone = statistics.median(train(seed, games) for seed in range(RUNS))
    print(f"one run:  {alone:6.1f} games/s (median of {RUNS} seeds, {games} games each)")
    print(f"two runs: {together:6.1f} games/s together, {together / alone:.2f} times one")
    print(f"`gameforge run`, {games} games, everything included: {whole_run(games):.1f} s")


if __name__ == "__main__":
    main()
