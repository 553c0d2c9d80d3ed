"""Environments of PettingZoo: random games of draughts, beside OpenSpiel's checkers in shimmy's wrapper.

    pip install -e '.[bench,rl]' shimmy; python benchmarks/environments.py

Steps per second of processor time on one pinned core; medians. Both choose a random action of the mask by the same
code. shimmy needs no more of PettingZoo than our environment does: `reset`, `last` and `step`.
"""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from gameforge_interop_pettingzoo.environments import GameEnv
from machine import pin
from shimmy import OpenSpielCompatibilityV0

import gameforge as gf

RUNS, SECONDS = 5, 1.0


def game(env: Any, mask: Callable[[Any, Any], Any], rng: random.Random) -> int:
    """Play a random game; return its steps. mask: takes the observation and the info of an agent."""
    env.reset(seed=rng.randrange(1 << 30))
    steps = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            env.step(int(rng.choice(np.flatnonzero(mask(observation, info)))))
            steps += 1
    return steps


def rate(env: Any, mask: Callable[[Any, Any], Any]) -> float:
    rng, steps, began = random.Random(1), 0, time.process_time()
    while (used := time.process_time() - began) < SECONDS:
        steps += game(env, mask, rng)
    return steps / used


def main() -> None:
    print(pin())
    ours = GameEnv(gf.game("draughts")), lambda observation, info: observation["action_mask"]
    theirs = OpenSpielCompatibilityV0(pyspiel.load_game("checkers")), lambda observation, info: info["action_mask"]
    runs = [(rate(*ours), rate(*theirs)) for _ in range(RUNS)]
    mine, shimmy = (statistics.median(side) for side in zip(*runs, strict=True))
    print(f"steps/s: {mine:,.0f}; shimmy {shimmy:,.0f}; ratio {mine / shimmy:.2f}")


if __name__ == "__main__":
    main()
