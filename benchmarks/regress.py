"""Speed of self-play for positions and of fits to them, in draughts, on one pinned core.

    python benchmarks/regress.py [GAMES]

Positions a second of `alphabeta:depth=6,memory=1 + material`, then the preparation of a million positions of these
(repeated as often as needed) and an epoch over them: `patterns`, and nets for comparison on a tenth of them.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from gameforge_examples.positions import GameSettings, Positions, SelfplayPlan, all_of, make_positions, read_positions
from gameforge_learn_regress.fitting import Fit, FitState
from gameforge_learn_regress.settings import FitSettings
from machine import pin

import gameforge as gf

SEARCHER = "alphabeta:depth=6,memory=1"
MILLION = 1_000_000
SETTINGS = GameSettings(random_moves=0.02, repetition=2, no_progress=30)


def played(games: int) -> Positions:
    """Positions of self-play, after a few games that compile."""
    player = gf.player("draughts", searcher=SEARCHER, evaluator="material", oracle="none")
    with tempfile.TemporaryDirectory() as folder:
        make_positions(Path(folder, "warm"), player, SelfplayPlan(games=8, settings=SETTINGS))
        began = time.process_time()
        made = make_positions(Path(folder, "cold"), player, SelfplayPlan(games=games, settings=SETTINGS))
        seconds = time.process_time() - began
        print(f"{SEARCHER}: {made.examples:,} positions, {made.examples / seconds:,.0f} a second")
        return read_positions([Path(folder, "cold")], player.game, merged=False)


def fitted(evaluator: str, features: str, positions: Positions) -> None:
    """Processor time of a preparation and of an epoch, the second one, for which everything is compiled."""
    player = gf.player("draughts", searcher="minimax:depth=1", evaluator=evaluator, features=features, oracle="none")
    assert player.weights is not None
    settings = FitSettings(epochs=1)
    for positions_now in (positions.chosen(np.arange(2000)), positions):
        began = time.process_time()
        fit = Fit(settings, player.parts, positions_now, np.random.SeedSequence(1), "benchmark")
        prepared = time.process_time()
        state = FitState.begin(player.weights)
        fit._epoch(state, None)
        epoch = time.process_time() - prepared
    n = len(fit.train.targets)
    print(
        f"{evaluator}: {len(player.weights):,} weights; {len(positions):,} positions prepared in "
        f"{prepared - began:.2f} s; an epoch over {n:,} takes {epoch:.3f} s, {epoch / n * MILLION:.3f} s a million"
    )


def main() -> None:
    print(pin())
    positions = played(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    million = all_of([positions] * (-(-MILLION // len(positions)))).chosen(np.arange(MILLION))
    fitted("patterns", "none", million)
    tenth = million.chosen(np.arange(MILLION // 10))
    fitted("mlp:hidden=20", "netfeaturemap", tenth)
    fitted("subboard", "none", tenth)
    fitted("subboard:windows=false", "none", tenth)


if __name__ == "__main__":
    main()
