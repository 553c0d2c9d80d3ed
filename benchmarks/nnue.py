"""nnue and patterns in draughts: nodes per second of `alphabeta`, and a match at equal time.

    python benchmarks/nnue.py [speed]
    python benchmarks/nnue.py match EXAMPLES [GAMES] [NODES]

`speed` gives the best of several runs for each evaluator, in turn, so that a busy machine slows all of them alike:
nodes per second of processor time over the positions of the node-count signature. `match` fits both evaluators to the
same folder of examples (`gameforge examples make`), and lets them play with the same time for each move: numbers of
nodes in the ratio of their speeds, so that the load of the machine does not matter.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import pin

import gameforge as gf

BENCH = Path(__file__).parents[1] / "plugins/search_minimax/tests/signature.txt"
RUNS, NODES = 8, 100_000
EVALUATORS = ("patterns", "nnue", "nnue:second=8", "nnue:units=128")
SEARCHERS = {"exact": f"alphabeta:nodes={NODES}", "selective": f"alphabeta:nodes={NODES},selective=true"}
FITS = {"patterns": "", "nnue": ",rate=0.003,weight_decay=1"}
"""Evaluators of the match, and what their fits need beside the examples."""
GAME = gf.game("draughts")
POSITIONS = [GAME.position(line.split(" ", 2)[2]) for line in BENCH.read_text().splitlines()[:-1]]


def rates(players: dict[str, gf.Player], runs: int = RUNS) -> dict[str, float]:
    """Nodes per second of processor time; the players search in turn."""
    best = dict.fromkeys(players, 0.0)
    for _ in range(runs + 1):  # the first one compiles
        for one, player in players.items():
            began = time.process_time()
            nodes = sum(player.analyse(position).nodes for position in POSITIONS)
            best[one] = max(best[one], nodes / (time.process_time() - began))
    return best


def speed() -> None:
    print(pin())
    for name, searcher in SEARCHERS.items():
        players = {one: gf.player(GAME, searcher=searcher, evaluator=one, oracle="none", seed=2) for one in EVALUATORS}
        for one, rate in (found := rates(players)).items():
            share = rate / found["patterns"]
            print(f"{name} search, {one}: {rate / 1e6:.2f} million nodes/s, {share:.0%} of patterns'", flush=True)


def match(examples: str, games: str = "400", nodes: str = "5000") -> None:
    def player(evaluator: str, searcher: str, weights: Any) -> gf.Player:
        parts = gf.player(GAME, searcher=searcher, evaluator=evaluator, oracle="none").parts
        return gf.Player(parts, weights, evaluator)

    searcher, weights = SEARCHERS["selective"], {}
    for one, more in FITS.items():
        learner = f"regress:examples={examples}{more}"
        fast = "alphabeta:depth=2,memory=1"
        pipeline = gf.Pipeline(game=GAME, searcher=fast, evaluator=one, learner=learner, oracle="none")
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            run = pipeline.run(Path(folder) / "run", seed=1)
        summary, spent = run.trained.summary, time.process_time() - began
        print(f"{one}: {summary['train_positions']:,} positions, validation loss {summary['test_loss']:.4f} after "
              f"{summary['epochs']} epochs, {spent:.0f} s of processor time", flush=True)  # fmt: skip
        weights[one] = run.player.weights
    found = rates({one: player(one, searcher, weights[one]) for one in FITS}, 3)
    share = found["nnue"] / found["patterns"]
    budgets = {"nnue": round(int(nodes) * share), "patterns": int(nodes)}
    players = [player(one, f"alphabeta:nodes={n},memory=1,selective=true", weights[one]) for one, n in budgets.items()]
    print(f"nnue makes {share:.0%} of patterns' nodes; {budgets} nodes a move")
    print(gf.match(*players, games=int(games), seed=1))


if __name__ == "__main__":
    part, *arguments = sys.argv[1:] or ["speed"]
    {"speed": speed, "match": match}[part](*arguments)
