"""Training with `minimax` in this checkout and in another one, side by side: the same games, and their speed.

    python benchmarks/minimax.py OTHER_CHECKOUT [TURNS]

Both take turns, each in a process of its own. Games a second are by processor time, without the compilation; the table
has medians. The hash is that of all moves and of the final weights: where it differs, so do the games.
"""

import hashlib
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from machine import pin

CASES = {
    "15 features, 5 plies": ("minimax:depth=5", "mlp", "netfeaturemap", 120),
    "12 features, direct links, 5 plies": (
        "minimax:depth=5",
        "mlp:hidden=12,direct=true",
        "netfeaturemap:set=neurodraughts",
        120,
    ),
    "15 features, 5 plies, random ties": ("minimax:depth=5,ties=random", "mlp", "netfeaturemap", 80),
    "15 features, 2 plies": ("minimax:depth=2", "mlp", "netfeaturemap", 1600),
    "15 features, look-ahead 0": ("minimax:depth=1", "mlp", "netfeaturemap", 8000),
    "15 features, alphabeta, 3 plies": ("alphabeta:depth=3,memory=1", "mlp", "netfeaturemap", 200),
}
"""Searcher, evaluator, feature map and number of games."""
SESSIONS = 4


def train(name: str) -> tuple[str, float]:
    """Train with the checkout of this process; return the hash of the games and games a second."""
    import numpy as np

    import gameforge as gf
    from gameforge.interfaces import GameRecord, TrainingTask

    searcher, evaluator, features, games = CASES[name]
    digest = hashlib.sha256()

    def finished(game: GameRecord) -> None:
        digest.update(repr((game.players, game.codes)).encode())

    def run(games: int) -> float:
        pipeline = gf.Pipeline(
            game="draughts",
            searcher=searcher,
            evaluator=evaluator,
            features=features,
            oracle="none",
            learner=f"td:sessions={SESSIONS},games={games // SESSIONS}",
        )
        task = TrainingTask(
            parts=pipeline.parts(),
            seed=np.random.SeedSequence(1),
            game_finished=finished,
            session_finished=lambda progress: None,
        )
        began = time.process_time()
        digest.update(pipeline.learner.train(task).weights.tobytes())
        return time.process_time() - began

    run(SESSIONS)  # compiles
    return digest.hexdigest()[:12], games / run(games)


def in_checkout(checkout: Path, name: str) -> tuple[str, float]:
    """What `train` returns in a process that imports everything from a checkout."""
    paths = [checkout, *sorted((checkout / "plugins").iterdir())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, str(Path(__file__).resolve()), "--child", name]
    digest, rate = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()
    return digest, float(rate)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(*train(sys.argv[2]))
        return
    here, other = Path(__file__).resolve().parents[1], Path(sys.argv[1]).resolve()
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(f"{pin()}, medians of {turns} turns, games a second of processor time: other, this, ratio")
    for name in CASES:
        found = [(in_checkout(other, name), in_checkout(here, name)) for _ in range(turns)]
        before, after = (statistics.median(pair[i][1] for pair in found) for i in range(2))
        same = "the same games" if len({digest for pair in found for digest, _ in pair}) == 1 else "OTHER GAMES"
        ratio = statistics.median(new / old for (_, old), (_, new) in found)
        print(f"{name:36s} {before:8.1f} {after:8.1f} {ratio:5.2f}  {same}", flush=True)


if __name__ == "__main__":
    main()
