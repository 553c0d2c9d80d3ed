"""Peak memory of long work, by the number of its games: it must not grow with them.

    python benchmarks/memory.py [--games 1000 10000 100000] [--work match resume ...]

Each figure is the largest resident size of a process of its own, in MB, as the kernel of the operating system counts
it. Games of breakthrough draughts begin with a few men each and last about ten plies;
`run` and `study` train on whole games of draughts. `resume` plays two more games of
the match before it, `pdn check` and `games import` read its games, and `verify` checks its folder.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

GAME = "breakthrough-draughts"
POSITIONS = 200
STUDY = """seeds = 1
[pipeline]
game = "draughts"
searcher = "minimax:depth=1"
learner = "td:games=100,opening_plies=40,result=net"
oracle = "none"
[grid]
learner.lambda = [0, 0.3]
[budget]
games = {games}
by = "learner.sessions"
[league]
games = {games}
"""
Command = Callable[[Path, int], list[str]]


def openings(folder: Path) -> Path:
    """Write positions with four men a side, which are different for each line."""
    path = folder / "openings.txt"
    if not path.exists():
        pairs = itertools.islice(itertools.combinations(range(16, 26), 3), POSITIONS // 2)
        lines = [
            f"W:W{','.join(map(str, white))},{40 - i % 5}:B{','.join(str(51 - man) for man in white)},{11 + i % 5}"
            for i, white in enumerate(pairs)
        ]
        path.write_text("\n".join(lines) + "\n")
    return path


def match(folder: Path, games: int) -> list[str]:
    options = ["--game", GAME, "--openings", str(openings(folder)), "--games", str(games)]
    return ["match", "random", "random", *options, "--out", str(folder / f"match-{games}")]


def without_folder(folder: Path, games: int) -> list[str]:
    return match(folder, games)[:-2]


def resume(folder: Path, games: int) -> list[str]:
    return [*match(folder, games), "--games", str(games + 2)]


def tournament(folder: Path, games: int) -> list[str]:
    chosen = ["random", "minimax:depth=1 + material"]
    options = ["--game", GAME, "--openings", str(openings(folder)), "--games", str(games)]
    return ["tournament", *chosen, *options, "--out", str(folder / f"tournament-{games}")]


def run(folder: Path, games: int) -> list[str]:
    learner = f"td:games=100,sessions={games // 100},opening_plies=40,result=net"
    parts = ["--searcher", "minimax:depth=1", "--oracle", "none", "--learner", learner]
    options = ["--match-games", "0", "--yardstick", "none", "--out", str(folder / f"run-{games}")]
    return ["run", "--game", "draughts", *parts, *options]


def study(folder: Path, games: int) -> list[str]:
    path = folder / f"study-{games}.toml"
    path.write_text(STUDY.format(games=games // 2))
    return ["study", str(path), "--out", str(folder / f"study-{games}")]


def check(folder: Path, games: int) -> list[str]:
    return ["pdn", "check", str(folder / f"match-{games}" / "games.pdn")]


def imported(folder: Path, games: int) -> list[str]:
    file = folder / f"match-{games}" / "games.pdn"
    return ["games", "import", str(file), "--into", str(folder / f"{games}.gfdb"), "--game", GAME]


def verify(folder: Path, games: int) -> list[str]:
    return ["verify", str(folder / f"match-{games}")]


WORK: dict[str, Command] = {
    "match": match,
    "match, no folder": without_folder,
    "resume": resume,
    "verify": verify,
    "pdn check": check,
    "games import": imported,
    "tournament": tournament,
    "run": run,
    "study": study,
}


def measured(command: list[str]) -> tuple[float, float]:
    """Run a command; return its largest resident size in MB, and its seconds."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, "-m", "gameforge", *command], stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit(output.read().decode(errors="replace"))
    return usage.ru_maxrss / 1024, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--work", nargs="+", choices=list(WORK), default=list(WORK))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for games in arguments.games:
            if "match" not in arguments.work:
                measured(match(folder, games))  # others read its games
            for work in arguments.work:
                size, seconds = measured(WORK[work](folder, games))
                print(f"{work:18} {games:9,} games {size:7.0f} MB {seconds:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
