"""Random games in vector environments of Gymnasium: games stepped in one compiled call, beside SyncVectorEnv.

    pip install -e '.[rl]'; python benchmarks/vector_environment.py [GAME] [GAMES] [PYTHON]

PYTHON is that of an environment in which pgx is installed (`pip install pgx 'jax[cpu]'`), to measure that beside it,
in turn, for the games that both have: othello and connect-four, which is the example of a plugin.

Moves per second of processor time on one pinned core; medians. A move that begins a game again is not counted. All
random actions are uniform among the legal ones; observations and masks are new arrays in each step:

* `kernel`: actions from `random_actions` of the environment.
* `numpy`: actions drawn from the masks by NumPy.
* `sync`: SyncVectorEnv of as many games that one agent plays against itself, each a vector environment of one game
  with Gymnasium's interface for one; actions drawn from the masks by NumPy.
* `pgx`, and `pgx, 1,000 steps`: see pgx_games.py.
"""

import importlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gameforge_interop_pettingzoo.environments import GameVectorEnv
from machine import pin

import gameforge as gf

RUNS, SECONDS = 5, 2.0
HERE = Path(__file__).parent
PGX = {"othello": "othello", "connect-four": "connect_four"}
"""Games that pgx has, too, with their names there."""


class Alone(gymnasium.Env):  # type: ignore[misc]
    """A vector environment of one game as an environment."""

    def __init__(self, game: gf.Game) -> None:
        self.env = GameVectorEnv(game, copy=False)
        self.observation_space, self.action_space = self.env.single_observation_space, self.env.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observations, info = self.env.reset(seed=seed)
        return observations[0], {"action_mask": info["action_mask"][0]}

    def step(self, action: Any) -> Any:
        observations, rewards, over, stopped, info = self.env.step([action])
        return observations[0], rewards[0], over[0], stopped[0], {"action_mask": info["action_mask"][0]}


def masked(rng: np.random.Generator) -> Callable[[Any], Any]:
    """Return a function that draws a legal action for each row of masks."""

    def draw(masks: Any) -> Any:
        places = masks.cumsum(1, dtype=np.int16)
        chosen = (rng.random(len(masks)) * places[:, -1]).astype(np.int16)
        return (places > chosen[:, None]).argmax(1)

    return draw


def rate(env: Any, choose: Callable[[Any], Any]) -> float:
    """Play for some seconds; return moves per second. choose: takes the masks."""
    _, info = env.reset(seed=1)
    over = np.zeros(env.num_envs, np.bool_)
    moves, began = 0, time.process_time()
    while (used := time.process_time() - began) < SECONDS:
        actions = choose(info["action_mask"])
        moves += int((~over).sum())
        _, _, over, _, info = env.step(actions)
    return moves / used


def game_of(name: str) -> gf.Game:
    """Return an installed game, or Connect Four of the example of a plugin."""
    if name != "connect-four":
        return gf.game(name)
    sys.path.append(str(HERE.parent / "examples" / "third_party_plugin"))
    return gf.game(importlib.import_module("gameforge_connect_four").ConnectFour())


def pgx_rates(python: str, game: str, games: int) -> dict[str, float]:
    """Return moves per second of pgx in another process, on the same core."""
    command = [python, str(HERE / "pgx_games.py"), PGX[game], str(games), str(SECONDS)]
    rates: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return rates


def main(name: str = "draughts", games: int = 256, pgx: str = "") -> None:
    print(pin())
    game = game_of(name)
    compiled, draw = GameVectorEnv(game, games), masked(np.random.default_rng(1))
    sync = gymnasium.vector.SyncVectorEnv([lambda: Alone(game)] * games)
    runs = []
    for _ in range(RUNS):
        rates = {
            "kernel": rate(compiled, lambda masks: compiled.random_actions()),
            "numpy": rate(compiled, draw),
            "sync": rate(sync, draw),
        }
        runs.append(rates | (pgx_rates(pgx, name, games) if pgx else {}))
    print(f"{games} games of {name}, moves/s:")
    for way in runs[0]:
        print(f"  {way}: {statistics.median(one[way] for one in runs):,.0f}")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]), *sys.argv[3:4])
