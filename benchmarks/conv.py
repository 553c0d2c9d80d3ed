"""Speed of the evaluator conv in Connect Four beside the same net in JAX, on one core.

    XLA_FLAGS=--xla_cpu_multi_thread_eigen=false taskset -c 1 python benchmarks/conv.py [BLOCKS] [CHANNELS]

JAX has to be installed (`pip install jax`). It gets planes, in batches of several sizes, and returns the values and the
logits of all rows; conv reads states, and writes the logits of the legal moves. Prints positions per second of
processor time, in turn, medians of 5; and the greatest difference between the values and logits of both.
"""

import functools
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gameforge_eval_mlp.conv import Conv

import gameforge as gf
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.kernel import U0, CompiledEvaluator, WordArray, assembly, at, entry, kernel, static_score

PLUGIN = Path(__file__).parents[1] / "examples" / "third_party_plugin" / "gameforge_connect_four.py"
sys.path.append(str(Path(__file__).parents[1] / "plugins" / "eval_mlp" / "tests"))
from conv_reference import Layers  # noqa: E402

ROUNDS, POSITIONS, BATCHES = 5, 1024, (1, 16, 256)


@kernel
def score_all(evaluator: CompiledEvaluator, states: WordArray, moves: WordArray, values: Any, logits: Any) -> None:
    """Write the value of each state, and its logits, as though all moves were legal."""
    data, weights, x = at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0)
    n = np.uint64(len(moves))
    for i in range(len(values)):
        state = at(states, np.uint64(2 * i))
        values[i] = static_score(evaluator, state)
        evaluator.policy(data, weights, state, at(moves, U0), n, x, at(logits, np.uint64(i) * n))


def of_jax(layers: Layers) -> Callable[[Any], Any]:
    """The net as JAX computes it: planes[N, rows, columns, codes] -> [N, 1 + rows of the policy]."""

    def convolution(h: Any, weights: Any) -> Any:
        return jax.lax.conv_general_dilated(
            h, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), preferred_element_type=jnp.float32
        )

    @jax.jit
    def net(planes: Any) -> Any:
        h = jax.nn.relu(convolution(planes, layers.codes.transpose(1, 2, 0, 3)) + layers.first)
        for (one, c), (two, d) in zip(layers.tower[::2], layers.tower[1::2], strict=True):
            h = jax.nn.relu(convolution(jax.nn.relu(convolution(h, one) + c), two) + d + h)
        units = jax.nn.relu(h @ layers.heads[0] + layers.heads[1])
        p, v = units[..., :8].reshape(len(h), -1), units[..., 8:].reshape(len(h), -1)
        u = jax.nn.relu(v @ layers.dense[0] + layers.dense[1])
        value = jnp.tanh(u @ layers.value[0][:, None] + layers.value[1])
        return jnp.concatenate([value, p @ layers.policy.T + layers.constants], axis=1)

    return net


def positions(game: gf.Game) -> list[tuple[int, ...]]:
    """Positions of random games."""
    found: list[tuple[int, ...]] = []
    rng = np.random.default_rng(1)
    while len(found) < POSITIONS:
        *_, (moves, _) = game.random_game(rng)
        found += itertools.accumulate(moves[:-1], game.play, initial=game.rules.initial())
    return found[:POSITIONS]


def main() -> None:
    blocks, channels = (int(number) for number in (*sys.argv[1:], *["3", "32"][len(sys.argv) - 1 :]))
    game = gf.game("connect-four", registry=Registry(load([PLUGIN])))
    component, states = Conv(blocks=blocks, channels=channels), positions(game)
    functions = component.functions(game.rules, None)
    weights = component.initial_weights(functions, np.random.default_rng(2))
    weights += np.random.default_rng(3).normal(0, 0.02, len(weights)).astype(np.float32)
    evaluator = assembly.compiled_evaluator(functions, weights)
    planes = game.planes(states)
    layers = Layers.of(component, jnp.asarray(weights), planes[0, 0], 2, 0, 7)
    net, seen = of_jax(layers), planes.transpose(0, 2, 3, 1)
    words, moves = np.array(states, np.uint64).reshape(-1), np.arange(7, dtype=np.uint64)
    values, logits = np.zeros(len(states)), np.zeros(7 * len(states))

    def ours() -> None:
        entry(score_all)(evaluator, words, moves, values, logits)

    def theirs(batch: int) -> None:
        for i in range(0, len(seen), batch):
            net(seen[i : i + batch]).block_until_ready()

    ours()
    difference = np.abs(np.column_stack([values, logits.reshape(-1, 7)]) - np.asarray(net(seen))).max()
    measured = {"conv": ours, **{f"JAX, batches of {n}": functools.partial(theirs, n) for n in BATCHES}}
    speeds: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(1 + ROUNDS):
        for name, function in measured.items():
            began = time.process_time()
            function()
            speeds[name].append(len(states) / (time.process_time() - began))
    print(f"{blocks} residual blocks of {channels} channels, {len(weights):,} weights, median of {ROUNDS}:")
    for name, found in speeds.items():
        print(f"{name:20} {statistics.median(found[1:]):9,.0f} positions a second")
    print(f"greatest difference of a value or logit: {difference:.1e}")


if __name__ == "__main__":
    main()
