"""A convolutional net of JAX as an evaluator: train it on recorded games, then let it play.

Needs JAX (`pip install jax`). Run it with `python examples/conv_net.py`; it takes about two minutes on two cores.
"""

import jax
import jax.numpy as jnp
import numpy as np
import typer

import gameforge as gf

BATCH, RATE, CHANNELS = 256, 1e-3, 32


def initial(key, channels):
    """Random weights: two convolutions of 3x3 cells, then one weight for each cell and channel."""
    shapes = (CHANNELS, channels, 3, 3), (CHANNELS, CHANNELS, 3, 3), (1, CHANNELS * 64)
    keys = jax.random.split(key, len(shapes))
    return [jax.random.normal(k, s) * (2 / np.prod(s[1:])) ** 0.5 for k, s in zip(keys, shapes, strict=True)]


def net(weights, planes):
    """Scores in (-1, 1) for the side to move: float32[N] for planes[N, channels, 8, 8]."""
    x = planes
    for kernel in weights[:2]:
        x = jax.nn.relu(jax.lax.conv(x, kernel, (1, 1), "SAME"))
    return 0.99 * jnp.tanh(x.reshape(len(x), -1) @ weights[2].T)[:, 0]


@jax.jit
def step(weights, mean, square, t, planes, results):
    """One step of Adam on the squared error between scores and results."""
    gradient = jax.grad(lambda w: jnp.mean((net(w, planes) - results) ** 2))(weights)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
    rate = RATE * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), weights, mean, square), mean, square


def main(games: int = 400, steps: int = 1500, match_games: int = 20):
    """Record games, train the net on their results, and play matches with it."""
    game = gf.game("othello")
    teacher = gf.player("othello", "strong:level=4")
    states, results = [], []
    for record in gf.match(teacher, teacher, games, openings="random:10", seed=1, workers=2).games:
        for ply, move in enumerate(record.moves):
            position = move.position.play(move)
            if ply >= 10 and position.codes:
                states.append(position.state)
                results.append(record.outcome.points(position.turn) - 1)
    planes, results = game.planes(states), np.array(results, np.float32)
    rng, weights = np.random.default_rng(1), initial(jax.random.key(1), planes.shape[1])
    mean = square = jax.tree.map(jnp.zeros_like, weights)
    for t in range(1, steps + 1):
        some = rng.integers(len(planes), size=BATCH)
        weights, mean, square = step(weights, mean, square, t, planes[some], results[some])
    learned = gf.jax_evaluator(lambda planes: net(weights, planes))
    player = gf.player("othello", searcher="minimax:depth=2", evaluator=learned, name="net")
    for opponent in ("random", "strong:level=3"):
        print(gf.match(player, opponent, match_games, openings="random:8", seed=2))


if __name__ == "__main__":
    typer.run(main)
