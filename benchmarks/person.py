"""Latencies that a user notices: legal moves as objects, the start of commands.

python benchmarks/person.py
"""

import statistics
import subprocess
import sys
import time
import timeit

from machine import pin

import gameforge as gf
from gameforge.play.game import Position

CALLS, RUNS = 20_000, 7


def command_seconds(*arguments: str) -> float:
    """Median wall time of a command, after one run that warms the disk's cache."""
    seconds = []
    for _ in range(RUNS + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "gameforge", *arguments], check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[1:])


def main() -> None:
    print(pin())
    game = gf.game("draughts")
    for name, text in (("start", None), ("12 kings", "B:WK21,K23,K25,K30,K31,K32:BK1,K3,K6,K8,K10,K12")):
        state = game.position(text).state
        seconds = timeit.repeat(lambda: Position(game, state).legal_moves, number=CALLS, repeat=RUNS)  # noqa: B023
        moves = len(game.legal(state))
        print(f"legal_moves, {name} ({moves} moves): {statistics.median(seconds) / CALLS * 1e6:.1f} us")
    print(f"gameforge --help:                   {command_seconds('--help'):.2f} s")
    print(f"gameforge perft, depth 1, warm:     {command_seconds('perft', '--game', 'draughts', '--depth', '1'):.2f} s")
    small = (
        "run",
        "--game",
        "draughts",
        "--oracle",
        "none",
        "--learner",
        "td:sessions=1,games=1",
        "--match-games",
        "0",
    )
    print(f"gameforge run, one game, warm:      {run_seconds(small):.2f} s")


def run_seconds(arguments: tuple[str, ...]) -> float:
    """Median wall time of `run`, which needs a new folder each time."""
    import tempfile

    seconds = []
    for _ in range(RUNS + 1):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            command = [sys.executable, "-m", "gameforge", *arguments, "--out", f"{folder}/run"]
            subprocess.run(command, check=True, capture_output=True)
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[1:])


if __name__ == "__main__":
    main()
