"""Building endgame databases: seconds and memory of `gameforge egdb build`, from nothing to the files.

    python benchmarks/egdb_build.py [PIECES] [FORMAT] [RUNS]

Each run is a separate process, with compiled kernels; median of RUNS (default 5). The positions per second that one
core solves are measured in this process, without files.
"""

import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from gameforge_egdb_chinook.slices import slices
from gameforge_egdb_chinook.solving import packed_solver
from gameforge_egdb_chinook.units import DraughtsUnits
from gameforge_retrograde.indexer import Unit

BUILD = """
import resource, sys, time
from gameforge.cli.main import run
began = time.perf_counter()
assert run(["egdb", "build", "--game", "draughts", *sys.argv[1:]]) == 0
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def build(pieces: int, format: str) -> tuple[float, float]:
    """Seconds and gigabytes of one build."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--pieces", str(pieces), "--format", format, "--out", folder]
        done = subprocess.run([sys.executable, "-c", BUILD, *options], check=True, capture_output=True, text=True)
    seconds, size = done.stdout.split()[-2:]
    return float(seconds), float(size) / 1e9


def solve(pieces: int) -> float:
    """Positions per second of one core, for values without distances."""
    units = DraughtsUnits(slices(pieces))
    solver = packed_solver(units)

    def one(unit: Unit) -> None:
        solver.keep(unit, solver.outcomes(unit))

    began = time.perf_counter()
    solver.run(one, 1, lambda positions: None)
    return float(np.sum(units.sizes)) / (time.perf_counter() - began)


def main() -> None:
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    format = sys.argv[2] if len(sys.argv) > 2 else "chinook"
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    print(f"{processor()}, Python {platform.python_version()}")
    build(2, format)
    found = [build(pieces, format) for _ in range(runs)]
    seconds, size = (statistics.median(column) for column in zip(*found, strict=True))
    print(f"{format}, {pieces} pieces, median of {runs}: {seconds:.1f} s, {size:.2f} GB")
    if pieces <= 5:
        solve(2)
        rate = statistics.median(solve(pieces) for _ in range(runs))
        print(f"one core solves {rate / 1e6:.1f} million positions a second")


if __name__ == "__main__":
    main()
