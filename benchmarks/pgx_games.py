"""Random games in pgx, for benchmarks/vector_environment.py, which starts this with a Python that has pgx.

    PYTHON benchmarks/pgx_games.py GAME GAMES SECONDS

Prints JSON: moves per second of processor time, after compilation, of two ways to step all games at once. Each step
draws a legal action for each game, all equally likely, and begins games that are over again (`auto_reset`). It returns
the whole state, with observations and masks.

* `pgx`: one compiled call for each step, as a program that looks at the observations makes it.
* `pgx, 1,000 steps`: one compiled call for 1,000 steps, between which nobody looks.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental.wrappers import auto_reset

STEPS = 1000


def rate(advance, state, key, moves, seconds):
    """Call `advance`, which plays this number of moves, for some seconds; return moves per second."""
    state, key = jax.block_until_ready(advance(state, key))  # compiles
    played, began = 0, time.process_time()
    while (used := time.process_time() - began) < seconds:
        state, key = jax.block_until_ready(advance(state, key))
        played += moves
    return played / used


def main(game, games, seconds):
    env = pgx.make(game)
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def advance(state, key):
        key, drawn, own = jax.random.split(key, 3)
        actions = jax.random.categorical(drawn, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return step(state, actions, jax.random.split(own, games)), key

    def many(state, key):
        return jax.lax.fori_loop(0, STEPS, lambda _, now: advance(*now), (state, key))

    first = jax.jit(init)(jax.random.split(jax.random.key(1), games))
    ways = {"pgx": (advance, 1), f"pgx, {STEPS:,} steps": (many, STEPS)}
    rates = {
        name: rate(jax.jit(function), first, jax.random.key(2), steps * games, seconds)
        for name, (function, steps) in ways.items()
    }
    print(json.dumps(rates))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
