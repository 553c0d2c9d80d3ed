"""A convolutional net of JAX as an evaluator: train it on recorded games, then let it play.

Needs JAX (`pip install jax`). Run it with `python examples/conv_net.py`; it takes about two minutes on two cores.
"""

import jax
import jax.numpy as jnp
import numpy as np
import typer
from jax.example_libraries.optimizers import adam

import gameforge as gf

BATCH, CHANNELS = 256, 32
start, update, weights_of = adam(1e-3)


def initial(key, channels):
    """Random weights: two convolutions of 3x3 cells, then one weight for each cell and channel."""
    shapes = (CHANNELS, channels, 3, 3), (CHANNELS, CHANNELS, 3, 3), (1, CHANNELS * 64)
    keys = jax.random.split(key, len(shapes))
    return [jax.random.normal(k, s) * (2 / np.prod(s[1:])) ** 0.5 for k, s in zip(keys, shapes, strict=True)]


def net(weights, x):
    """Scores in (-1, 1) for the side to move: float32[N] for planes x[N, channels, 8, 8]."""
    for kernel in weights[:2]:
        x = jax.nn.relu(jax.lax.conv(x, kernel, (1, 1), "SAME"))
    return 0.99 * jnp.tanh(x.reshape(len(x), -1) @ weights[2].T)[:, 0]


@jax.jit
def step(number, state, planes, results):
    """One step of Adam on the squared error between scores and results."""
    gradient = jax.grad(lambda weights: jnp.mean((net(weights, planes) - results) ** 2))
    return update(number, gradient(weights_of(state)), state)


def main(games: int = 400, steps: int = 1500, match_games: int = 20):
    """Record games, train the net on their results, and play matches with it."""
    teacher = gf.player("othello", "strong:level=4")
    states, results = [], []
    for record in gf.match(teacher, teacher, games, openings="random:10", seed=1, workers=2).games:
        for move in record.moves[10:]:
            position = move.position.play(move)
            states.append(position.state)
            results.append(record.outcome.points(position.turn) - 1)
    planes, results = gf.game("othello").planes(states), np.array(results, np.float32)
    rng, state = np.random.default_rng(1), start(initial(jax.random.key(1), planes.shape[1]))
    for number in range(steps):
        batch = rng.integers(len(planes), size=BATCH)
        state = step(number, state, planes[batch], results[batch])
    learned = gf.jax_evaluator(lambda planes: net(weights_of(state), planes))
    player = gf.player("othello", searcher="minimax:depth=2", evaluator=learned, name="net")
    for opponent in ("random", "strong:level=3"):
        print(gf.match(player, opponent, match_games, openings="random:8", seed=2))


if __name__ == "__main__":
    typer.run(main)
