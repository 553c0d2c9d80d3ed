"""Error rates of the SPRT and of error bars, and the overhead of a match.

    python benchmarks/matches.py [TESTS]

Simulated players of known strength (tests/simulated.py), half of the games drawn, openings that
favour a side by 100 Elo; then matches of draughts between searchers of depth 1, games a second, median of 5.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np
from machine import pin

import gameforge as gf
from gameforge.arena import Sprt
from gameforge.arena.elo import elo, elo_error, mean_and_variance

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated import pair_shares, shares_of_elo, simulated_test, true_elo


def wrong_verdicts(tests: int) -> None:
    for model in ("logistic", "normalized"):
        sprt = Sprt(0, 20, model)
        for truth, difference in (("H0", 0), ("H1", 20)):
            rng = np.random.default_rng(1)
            shares = shares_of_elo(difference, model, draws=0.5, bias=100)
            found = [simulated_test(sprt, shares, rng) for _ in range(tests)]
            wrong = sum(accepted != truth for accepted, _ in found) / tests
            pairs = statistics.median(needed for _, needed in found)
            name = "false accept" if truth == "H0" else "false reject"
            print(f"SPRT 0,20 {model}: {name} {wrong:.1%} of {tests} tests, median {pairs:.0f} pairs")


def coverage(matches: int = 20_000) -> None:
    rng = np.random.default_rng(2)
    for difference in (0, 100, 300):
        shares = pair_shares(difference, draws=0.5, bias=100)
        truth = true_elo(shares)
        counts = rng.multinomial(100, shares, matches).tolist()
        covered = sum(abs(elo(mean_and_variance(c)[0]) - truth) <= elo_error(c) for c in counts) / matches
        print(f"95 % interval of 100 pairs, {truth:+.0f} Elo: holds the truth in {covered:.1%} of {matches:,} matches")


def speed(games: int = 2000) -> None:
    one, other = (gf.player("draughts", searcher="minimax:depth=1", evaluator="material", name=n) for n in "ab")
    gf.match(one, other, 2)
    for workers in (1, 2):
        rates = []
        for _ in range(5):
            began = time.perf_counter()
            gf.match(one, other, games, workers=workers)
            rates.append(games / (time.perf_counter() - began))
        print(f"match of draughts, depth 1, {workers} workers: {statistics.median(rates):,.0f} games/s")


if __name__ == "__main__":
    speed()  # on all cores
    print(pin())
    wrong_verdicts(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    coverage()
