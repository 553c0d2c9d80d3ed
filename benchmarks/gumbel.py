"""Speed of the learner gumbel in Connect Four: simulations of self-play, and steps of the fit, per processor second.

    python benchmarks/gumbel.py [EVALUATOR] [SIMULATIONS] [GAMES]

The evaluator has its initial weights; the medians of 7 rounds are printed. The game is that of the third-party plugin.
`jax-conv` is the net of examples/alphazero_net.py, which needs JAX.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np
from gameforge_learn_gumbel.fitting import Weights, fit_of
from gameforge_learn_gumbel.learner import Gumbel
from gameforge_learn_gumbel.self_play import SelfPlay, play

import gameforge as gf
from gameforge.config import Spec
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.training.work import LocalSite

EXAMPLES = Path(__file__).parents[1] / "examples"
GAME, NET = EXAMPLES / "third_party_plugin" / "gameforge_connect_four.py", EXAMPLES / "alphazero_net.py"
ROUNDS, BATCH, STEPS = 7, 256, 20


def main() -> None:
    evaluator, simulations, games = (*sys.argv[1:], *["policy-mlp", "32", "200"][len(sys.argv) - 1 :])
    registry = Registry(load([GAME, NET] if evaluator.startswith("jax-conv") else [GAME]))
    searcher = Gumbel(searcher=Spec("puct", {"simulations": int(simulations), "reuse": False})).self_play_searcher
    pipeline = gf.Pipeline(
        game="connect-four", searcher=searcher, evaluator=evaluator, features="none", oracle="none", registry=registry
    )
    parts = pipeline.parts()
    site, weights = LocalSite(pipeline, parts), parts.initial_weights(np.random.default_rng(1))
    how = SelfPlay(searcher=searcher, weights=weights, by_visits=False, scale=1.0, random_plies=8, begin=1)
    played = play(site, how, 0, 10)  # compiles
    fit = fit_of(parts, Weights(weights.copy(), np.zeros_like(weights), np.zeros_like(weights)))
    speeds, rates = [], []
    for number in range(ROUNDS):
        began = time.process_time()
        played = play(site, how, number * int(games), int(games))
        speeds.append(played.simulations / (time.process_time() - began))
        chosen = np.random.default_rng(number).integers(fit.read([played.examples], 0.5), size=BATCH)
        fit.step(chosen, 1, 0.0, 0.0)
        began = time.process_time()
        for _ in range(STEPS):
            fit.step(chosen, 1, 0.0, 0.0)
        rates.append(STEPS * BATCH / (time.process_time() - began))
    print(f"{evaluator}, {simulations} simulations a move, {games} games, median of {ROUNDS}:")
    print(f"{statistics.median(speeds):,.0f} simulations of self-play a second")
    print(f"{statistics.median(rates):,.0f} positions of the fit a second")


if __name__ == "__main__":
    main()
