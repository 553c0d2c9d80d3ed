"""AlphaZero with a net of one's own: a residual net in JAX, which the learner `gumbel` trains for any game with cells.

This file is a plugin. It needs JAX (`pip install jax`):

    gameforge --plugin examples/alphazero_net.py run gumbel --game othello --evaluator jax-conv --out runs/net
    gameforge --plugin examples/alphazero_net.py play runs/net
"""

import attrs
import jax
import jax.numpy as jnp
import numpy as np

import gameforge as gf
from gameforge import Component, hookimpl


@attrs.frozen(kw_only=True)
class JaxConv:
    """A convolutional net with residual blocks of 3x3 cells, and heads for the policy and the value."""

    channels: int = 32
    """Units of each cell in all layers."""
    blocks: int = 2
    """Number of residual blocks."""
    device: str = "cpu"
    """A platform that JAX knows, such as gpu."""

    def composed(self, registry, rules):
        game = gf.game(rules)
        return gf.jax_evaluator(net, policy=True, weights=lambda rng: self.drawn(game, rng), device=self.device)

    def drawn(self, game, rng):
        """Random weights by name, for the planes and the moves of a game."""
        planes, rows, columns = game.planes([game.rules.initial()])[0].shape
        cells = self.channels * rows * columns
        shapes = {"first": (self.channels, planes, 3, 3), "policy": (game.moves.size, cells), "value": (1, cells)}
        shapes |= {f"block{i}{half}": (self.channels, self.channels, 3, 3) for i in range(self.blocks) for half in "ab"}
        return {name: rng.normal(0, np.prod(shape[1:]) ** -0.5, shape) for name, shape in shapes.items()}


def net(weights, planes):
    """Scores from -1 to 1, and a logit for each index of a move."""

    def layer(x, name):
        return jax.lax.conv(x, weights[name], (1, 1), "SAME")

    x = jax.nn.relu(layer(planes, "first"))
    for i in range(sum(name.startswith("block") for name in weights) // 2):
        x = jax.nn.relu(x + layer(jax.nn.relu(layer(x, f"block{i}a")), f"block{i}b"))
    x = x.reshape(len(x), -1)
    return jnp.tanh(x @ weights["value"].T), x @ weights["policy"].T


@hookimpl
def gameforge_components():
    about = "A convolutional net of JAX with a policy, for any game with cells."
    return [Component("evaluator", "jax-conv", f"{__name__}:JaxConv", about)]
