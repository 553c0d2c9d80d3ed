"""Nanoseconds an evaluation of `patterns`, beside `material` and a net, on positions of random games.

python benchmarks/patterns.py [GAME ...]
"""

import statistics
import sys
import time

import numpy as np
from machine import pin
from numpy.typing import NDArray

import gameforge as gf
from gameforge.play.game import Game
from gameforge.play.player import Player

STATES, RUNS = 20_000, 9
EVALUATORS = {
    "draughts": (
        "material",
        "mlp:hidden=20",
        "patterns",
        "patterns:patterns=rectangles 2x8 4x4",
        "patterns:phases=[12]",
    ),
    "othello": ("wpc", "mlp:hidden=8,direct=true", "patterns", "policy-patterns"),
    "morris": ("weighted", "mlp:hidden=16", "patterns"),
}


def states(game: Game) -> NDArray[np.uint64]:
    """Positions of random games."""
    rng = np.random.default_rng(1)
    found: list[tuple[int, ...]] = []
    while len(found) < STATES:
        state = game.rules.initial()
        while (legal := game.legal(state)) and not game.code(state, len(legal)) and len(found) < STATES:
            found.append(state)
            state = game.play(state, legal[int(rng.integers(len(legal)))])
    return np.array(found, np.uint64)


def nanoseconds(player: Player, words: NDArray[np.uint64]) -> float:
    """Processor time of one evaluation, median of some runs after one that is not counted."""
    player.values(words)
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        player.values(words)
        seconds.append(time.process_time() - began)
    return statistics.median(seconds) / len(words) * 1e9


def main() -> None:
    print(pin())
    for name in sys.argv[1:] or EVALUATORS:
        game = gf.game(name)
        words = states(game)
        print(f"{name}, {len(words):,} positions of random games")
        for evaluator in EVALUATORS[name]:
            player = gf.player(game, searcher="minimax:depth=1", evaluator=evaluator, seed=1)
            if "patterns" in evaluator:
                assert player.weights is not None
                player = Player(player.parts, np.random.default_rng(1).normal(0, 0.3, len(player.weights)).astype("f4"))
            weights = 0 if player.weights is None else len(player.weights)
            print(f"  {evaluator:40}{weights:9,} weights{nanoseconds(player, words):7.1f} ns")


if __name__ == "__main__":
    main()
